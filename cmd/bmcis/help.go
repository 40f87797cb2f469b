package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/spell"
)

// refuseUnknownCommands makes a command that is not there wrong use, on the command
// line and after help, with the nearest one named.
func refuseUnknownCommands(root *cobra.Command) {
	root.Args = knownCommands
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [command]",
		Short: "Tell the flags of a command",
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if err != nil {
				return usageError{err}
			}
			if err := knownCommands(cmd, rest); err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	})
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if !cmd.HasSubCommands() {
			continue
		}
		cmd.Args = knownCommands
		if cmd.RunE == nil {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error {
				return usagef("say what to do: %s %s", cmd.CommandPath(), strings.Join(commandNames(cmd), "|"))
			}
		}
	}
}

// knownCommands is the argument check of a command that only has sub-commands: cobra
// has found none that is called words[0].
func knownCommands(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	group := strings.TrimPrefix(cmd.CommandPath()+" ", cmd.Root().Name()+" ")
	hint := ""
	if best := spell.Nearest(words[0], commandNames(cmd)); best != "" {
		hint = fmt.Sprintf("; did you mean %q", group+best)
	}
	return usagef("unknown command %q%s; see `%s --help`", group+words[0], hint, cmd.CommandPath())
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}
