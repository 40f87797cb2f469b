package pii

func (s *scanner) names() {}
