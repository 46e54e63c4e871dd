"""Items wait until their site is learned.

``held_items`` takes items over and lets them go, by the ``limits``; ``store`` keeps them on disk,
in the forms of ``forms``; ``delivery`` sends them on; ``item_processor`` puts all of it into the
crawl.
"""
