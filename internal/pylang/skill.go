package pylang

// CompileModule is [Compile] for a text that the program imports, such as a saved skill:
// its [Program] is run with RunModule on the thread of the importing program. Errors in
// it show the line of the program that called it; its own lines are not the agent's.
func CompileModule(name, source string, cfg Config) (*Program, []Problem) {
	impl, problems := compileAs("<"+name+">", source, cfg)
	if len(problems) > 0 {
		return nil, problems
	}
	return &Program{impl: impl}, nil
}
