"""Pictures from a result alone.

style     colours and sizes of all pictures
panels    what is drawn: items of a result as lines in panels
figure    how it is drawn: `plot`, from panels to a file
"""
