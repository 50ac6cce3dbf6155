"""What everything else stands on: errors, language, device."""
