"""Plans trials, schedules them, keeps the money, hands out records."""
