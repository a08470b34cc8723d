/**
 * Completion for bash without dependencies: what the library writes needs the package bash-completion, and fails when it is sourced twice.
 * A function or an alias named `catalog` is completed too, so it works in a checkout, where the program is `npx catalog`.
 */
export const bashCompletion = `# bash completion for catalog
_catalog_complete() {
    local words word prefix line directive=0
    read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
    [[ "\${COMP_LINE:0:COMP_POINT}" == *[[:space:]] ]] && words+=('')
    word="\${words[\${#words[@]}-1]}"
    # bash takes what follows these characters for a word of its own.
    prefix="\${word%"\${word##*[:=]}"}"
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :*) directive="\${line#:}" ;;
            "$word"*) line="\${line%%$'\\t'*}"; COMPREPLY+=("\${line#"$prefix"}") ;;
        esac
    done < <(catalog complete -- "\${words[@]:1}" 2> /dev/null)
    # 2: no space behind it, 4: no file would fit. bash 3 knows no compopt.
    (( directive & 2 )) && compopt -o nospace 2> /dev/null
    (( directive & 4 )) && compopt +o default 2> /dev/null
    return 0
}
complete -o default -F _catalog_complete catalog
`;
