askd_fuzz(sql agents)
