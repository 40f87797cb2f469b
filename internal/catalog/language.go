package catalog

import (
	"fmt"

	"github.com/bmcis/bmcis/internal/text"
)

// checkLanguage refuses a language that no text can be analysed in.
func checkLanguage(language string) error {
	if _, err := text.New(language); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}
