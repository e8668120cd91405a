# room.cmake - what a room is to the build: a folder whose .c files make one static library.
#
# askd_room(<folder> [USES <folder>...] [LIBS <library>...] [SOURCES <file that the build makes>...]
#           [SOURCES_BUT <file>...])
# A room may include its own headers and those of the rooms that it USES, and no others. A room is
# named after all that it uses, so rooms have no circles. tests/lint/rooms.sh checks the includes
# against these lines and askd_link_rooms() the symbols. A file that is added to the folder belongs
# to the room; no list names it. The target of server/http is room_server_http.
define_property(GLOBAL PROPERTY ASKD_ROOMS BRIEF_DOCS "targets of all rooms, lowest first")
define_property(GLOBAL PROPERTY ASKD_ROOM_FOLDERS BRIEF_DOCS "folders of all rooms, lowest first")

function(askd_room folder)
    cmake_parse_arguments(ROOM "" "" "USES;LIBS;SOURCES;SOURCES_BUT" ${ARGN})
    string(REPLACE "/" "_" room room_${folder})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.c)
    foreach(file ${ROOM_SOURCES_BUT})
        list(REMOVE_ITEM files ${CMAKE_SOURCE_DIR}/${folder}/${file})
    endforeach()
    set(scope INTERFACE) # a room of headers alone
    if(files)
        set(scope PUBLIC)
        add_library(${room} STATIC ${files} ${ROOM_SOURCES})
        target_link_libraries(${room} PRIVATE build_flags ${ROOM_LIBS})
        set_property(GLOBAL APPEND PROPERTY ASKD_ROOMS ${room})
    else()
        add_library(${room} INTERFACE)
    endif()
    set_property(GLOBAL APPEND PROPERTY ASKD_ROOM_FOLDERS ${folder})
    target_link_libraries(${room} ${scope} include_root)
    foreach(used ${ROOM_USES})
        string(REPLACE "/" "_" used room_${used})
        if(NOT TARGET ${used})
            message(FATAL_ERROR "${folder} uses ${used}, which is not named before it")
        endif()
        target_link_libraries(${room} ${scope} ${used})
    endforeach()
endfunction()

# askd_graph_rooms(USES <folder>...): a room for each folder of agents with a graph.c that is none yet.
function(askd_graph_rooms)
    file(GLOB graphs CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/agents/*/graph.c)
    foreach(graph ${graphs})
        get_filename_component(folder ${graph} DIRECTORY)
        string(REPLACE "/" "_" room room_${folder})
        if(NOT TARGET ${room})
            askd_room(${folder} ${ARGN})
        endif()
        set_property(GLOBAL APPEND PROPERTY ASKD_GRAPHS ${room})
    endforeach()
endfunction()

# askd_use_graphs(<folder>): this room names every graph.
function(askd_use_graphs folder)
    string(REPLACE "/" "_" room room_${folder})
    get_property(graphs GLOBAL PROPERTY ASKD_GRAPHS)
    target_link_libraries(${room} PUBLIC ${graphs})
endfunction()

# askd_floor(<name> <folder>... [BUT <folder>...]): the rooms in these folders and below, but those
# in the others, with all that they use, under one name.
function(askd_floor name)
    cmake_parse_arguments(FLOOR "" "" "BUT" ${ARGN})
    list(JOIN FLOOR_UNPARSED_ARGUMENTS "|" in)
    list(JOIN FLOOR_BUT "|" but)
    add_library(${name} INTERFACE)
    get_property(folders GLOBAL PROPERTY ASKD_ROOM_FOLDERS)
    foreach(folder ${folders})
        if(folder MATCHES "^(${in})(/|$)" AND NOT (but AND folder MATCHES "^(${but})(/|$)"))
            string(REPLACE "/" "_" room room_${folder})
            target_link_libraries(${name} INTERFACE ${room})
        endif()
    endforeach()
endfunction()

# A program a room of the whole room and the rooms that it uses: the linker finds a symbol of
# another room undefined.
function(askd_link_rooms)
    get_property(rooms GLOBAL PROPERTY ASKD_ROOMS)
    foreach(room ${rooms})
        add_executable(link_${room} ${CMAKE_SOURCE_DIR}/tests/lint/link_room.c)
        target_link_libraries(link_${room} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${room}> build_flags)
    endforeach()
endfunction()
