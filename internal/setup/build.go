package setup

import "github.com/bmcis/bmcis/models"

func (f *fetcher) build(tree string, src models.Source) (string, error) { return "", nil }
func (f *fetcher) aptSource(dir string, src models.Source) error        { return nil }
