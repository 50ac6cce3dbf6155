"""The screen: navigation, state and addresses, panels, components. Streamlit is known here alone."""
