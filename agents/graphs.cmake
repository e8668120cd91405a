# The graphs: every .c file in the folders that graphs.inc names.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS graphs.inc)
file(STRINGS graphs.inc graphs REGEX "^GRAPH\\(")
foreach(graph ${graphs})
    string(REGEX REPLACE "^GRAPH\\((.*)\\)$" "\\1" graph ${graph})
    file(GLOB sources CONFIGURE_DEPENDS ${graph}/*.c)
    target_sources(agents PRIVATE ${sources})
endforeach()
# Their nodes, and what they share.
target_sources(agents PRIVATE
    content.c extract.c graphs.c loading.c members.c prompt.c registry.c services.c
    memory/elsewhere.c memory/extracts.c memory/history.c memory/mentions.c memory/notice.c memory/recall.c memory/tiers.c
    nodes/approve_sql.c nodes/ask.c nodes/asked.c nodes/chart.c nodes/check_sql.c nodes/notes.c nodes/remember.c nodes/run_sql.c nodes/search.c nodes/second_look.c nodes/summarise.c)
