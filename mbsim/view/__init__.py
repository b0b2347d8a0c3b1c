"""`mbsim view`: a mechanism in a page of the browser, live or as one file. viser draws; it is imported by this room only.

stage.py puts a scene on the page, playback.py moves it, shows.py chooses what is seen, charts.py plots variables; results.py, model.py,
study.py and plots.py (without bodies) are the pages, mechanism.py is what two of them share, page.py writes a file, server.py opens the
address.
"""
