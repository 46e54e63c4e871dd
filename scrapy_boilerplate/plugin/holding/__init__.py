"""Holding: items wait until their site is learned.

``holder`` takes items over and lets them go, ``policy`` says which and how long, ``limits`` what
the spider's own limits leave for that; ``store`` keeps them on disk, in the forms of ``forms``;
``leftovers`` is what an earlier run has left there; ``sender`` sends them on.
"""
