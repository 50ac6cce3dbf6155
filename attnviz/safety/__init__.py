"""What a model's decision depends on, set beside what it looks at and what really happens."""
