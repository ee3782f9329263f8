"""Where an item lives, what it holds, and its digest."""
