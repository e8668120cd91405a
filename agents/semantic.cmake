# What a deployment says about its data: semantic.json.
target_sources(agents PRIVATE
    semantic/model.c semantic/file.c semantic/bind.c semantic/prompt.c semantic/twice.c)
