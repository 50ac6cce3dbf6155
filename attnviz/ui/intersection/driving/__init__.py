"""The Intersection page with a model that learnt."""
