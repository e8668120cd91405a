# Who asks: tokens and the keys that sign them, and the file of ASKD_AUTH_FILE.
askd_fuzz(auth_token server)
askd_fuzz(auth_book server)
