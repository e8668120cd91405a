# tests/unit/server/eval.cmake - `askd eval` over the sample database: counts, misses, exit status.
set(database ${DIR}/eval.db)
set(ENV{ASKD_MODEL} offline)
execute_process(COMMAND ${MAKE_SAMPLES} ${database} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

function(evaluate file want_status)
    execute_process(COMMAND ${ASKD} eval ${file} --db sqlite:${database} --set ASKD_TENANCY=off ${ARGN}
        WORKING_DIRECTORY ${DIR} OUTPUT_VARIABLE said ERROR_VARIABLE complained
        RESULT_VARIABLE status)
    if(NOT status EQUAL want_status)
        message(FATAL_ERROR "eval ${file}: exit ${status}: ${complained}")
    endif()
    set(said "${said}" PARENT_SCOPE)
    set(complained "${complained}" PARENT_SCOPE)
endfunction()

function(expect text part)
    string(FIND "${text}" "${part}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "no '${part}' in: ${text}")
    endif()
endfunction()

evaluate(${QUESTIONS} 0 --json)
expect("${said}" [["all":{"difficulty":"all","asked":7,"right":5,"wrong":1,"abstained":1,"failed":0]])
expect("${said}" [["must_not_answer":{"expect":"all","asked":1,"right":0,"wrong":0,"abstained":1]])
expect("${said}" [["id":"missed","question":"How many transactions?","group":"hard","verdict":"wrong"]])

evaluate(${QUESTIONS} 0)
expect("${said}" "missed [hard] wrong: How many transactions?")
expect("${said}" "silent [hard] abstained: How many unicorns?")
expect("${said}" "right SELECT -1")
evaluate(${QUESTIONS} 0 --schema other)
expect("${said}" "all                          1      1")

file(WRITE ${DIR}/broken.jsonl "{\"question\":\"How many customers?\",\"sql\":\"SELECT 1\"}\n{\"sql\":1}\n")
evaluate(${DIR}/broken.jsonl 1)
expect("${complained}" "line 2: /question: expected a string")
file(WRITE ${DIR}/gold.jsonl "{\"question\":\"How many customers?\",\"sql\":\"SELECT nothing\"}\n")
evaluate(${DIR}/gold.jsonl 1)
expect("${complained}" "line 1: the right statement does not run")
evaluate(${DIR}/absent.jsonl 1)
