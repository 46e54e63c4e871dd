"""Items that are held until their site is learned: which, where, and how they go on."""
