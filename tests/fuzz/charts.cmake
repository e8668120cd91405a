# Chart.js configurations that models write, and tables of any content.
askd_fuzz(charts agents)
