SELECT `a` 'x' FROM t AS q WHERE id = 1 # c
