# Cron expressions, and files of time zones.
askd_fuzz(cron server)
