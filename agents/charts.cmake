# Which chart shows a table, and whether somebody else's chart may be shown.
target_sources(agents PRIVATE
    charts/table.c charts/merge.c charts/names.c charts/order.c charts/shape.c charts/roles.c
    charts/spec.c charts/plan.c charts/refuse.c charts/grid.c charts/labels.c charts/caption.c charts/draw.c
    charts/choose.c charts/accept.c charts/chartjs.c
    charts/check.c charts/check_options.c charts/check_path.c)
