package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// graph is what a look at an ONNX file tells without loading it.
type graph struct {
	inputs, outputs []value
	rows            int64 // of the tallest table, the word embeddings; 0 when there is none
}

// value is an input or output of the graph. A dimension that is not fixed is
// -1.
type value struct {
	name string
	elem int32 // ONNX's number of the element type: 1 float, 7 int64
	dims []int64
}

const (
	elemFloat = 1
	elemInt64 = 7
)

// readGraph walks over an ONNX file (a protocol buffer: ModelProto field 7 is
// the graph; GraphProto 5 initializers, 11 inputs, 12 outputs). It reads
// headers only and jumps over weights.
func readGraph(r io.ReaderAt, size int64) (*graph, error) {
	g := &graph{}
	found := false
	err := fields(r, 0, size, func(num int, off, n int64) error {
		if num != 7 {
			return nil
		}
		found = true
		return fields(r, off, off+n, func(num int, off, n int64) error {
			switch num {
			case 5:
				return g.readInitializer(r, off, off+n)
			case 11, 12:
				v, err := readValue(r, off, off+n)
				if err != nil {
					return err
				}
				if num == 11 {
					g.inputs = append(g.inputs, v)
				} else {
					g.outputs = append(g.outputs, v)
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if !found || len(g.outputs) == 0 {
		return nil, errors.New("it holds no graph")
	}
	return g, nil
}

// readInitializer looks for the table of word embeddings (TensorProto field 1:
// dims): of all tables, the one with the most rows.
func (g *graph) readInitializer(r io.ReaderAt, off, end int64) error {
	var dims []int64
	err := fields(r, off, end, func(num int, off, n int64) (err error) {
		if num == 1 {
			dims, err = appendVarints(dims, r, off, n)
		}
		return err
	})
	if err == nil && len(dims) == 2 {
		g.rows = max(g.rows, dims[0])
	}
	return err
}

// readValue reads a ValueInfoProto: 1 name, 2 type (1 tensor: 1 element type,
// 2 shape: 1 dimension: 1 fixed value).
func readValue(r io.ReaderAt, off, end int64) (v value, err error) {
	err = fields(r, off, end, func(num int, off, n int64) (err error) {
		switch num {
		case 1:
			v.name, err = readString(r, off, n)
		case 2:
			err = fields(r, off, off+n, func(num int, off, n int64) error {
				if num != 1 {
					return nil
				}
				return v.readTensorType(r, off, off+n)
			})
		}
		return err
	})
	return v, err
}

func (v *value) readTensorType(r io.ReaderAt, off, end int64) error {
	return fields(r, off, end, func(num int, off, n int64) error {
		switch num {
		case 1:
			xs, err := appendVarints(nil, r, off, n)
			if err == nil && len(xs) == 1 {
				v.elem = int32(xs[0])
			}
			return err
		case 2:
			return fields(r, off, off+n, func(num int, off, n int64) error {
				if num != 1 {
					return nil
				}
				dim := int64(-1)
				err := fields(r, off, off+n, func(num int, off, n int64) error {
					if num != 1 {
						return nil
					}
					xs, err := appendVarints(nil, r, off, n)
					if err == nil && len(xs) == 1 && xs[0] > 0 {
						dim = xs[0]
					}
					return err
				})
				v.dims = append(v.dims, dim)
				return err
			})
		}
		return nil
	})
}

// fields calls visit for each field of the protocol-buffer message in
// [off, end): with the content's place for a length-delimited one, else with
// the place of the number.
func fields(r io.ReaderAt, off, end int64, visit func(num int, off, n int64) error) error {
	for off < end {
		key, w, err := uvarint(r, off, end)
		if err != nil {
			return err
		}
		off += w
		var n int64
		switch key & 7 {
		case 0:
			if _, n, err = uvarint(r, off, end); err != nil {
				return err
			}
		case 1:
			n = 8
		case 2:
			size, w, err := uvarint(r, off, end)
			if err != nil {
				return err
			}
			off += w
			if size > uint64(end-off) {
				return fmt.Errorf("it is cut off: %d bytes are missing", size-uint64(end-off))
			}
			n = int64(size)
		case 5:
			n = 4
		default:
			return fmt.Errorf("unknown data at byte %d", off)
		}
		if key>>3 == 0 || key>>3 > 1<<29 {
			return fmt.Errorf("unknown data at byte %d", off)
		}
		if n > end-off {
			return fmt.Errorf("it is cut off: %d bytes are missing", n-(end-off))
		}
		if err := visit(int(key>>3), off, n); err != nil {
			return err
		}
		off += n
	}
	return nil
}

// uvarint reads a base-128 number within [off, end).
func uvarint(r io.ReaderAt, off, end int64) (x uint64, width int64, err error) {
	var buf [binary.MaxVarintLen64]byte
	b := buf[:min(int64(len(buf)), end-off)]
	if n, err := r.ReadAt(b, off); n < len(b) {
		return 0, 0, fmt.Errorf("read at byte %d: %w", off, err)
	}
	x, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, fmt.Errorf("bad number at byte %d", off)
	}
	return x, int64(n), nil
}

// appendVarints reads one number, or a packed list of them.
func appendVarints(dst []int64, r io.ReaderAt, off, n int64) ([]int64, error) {
	for end := off + n; off < end; {
		x, w, err := uvarint(r, off, end)
		if err != nil {
			return dst, err
		}
		if len(dst) == 16 {
			return dst, errors.New("a shape has more than 16 dimensions")
		}
		dst = append(dst, int64(x))
		off += w
	}
	return dst, nil
}

func readString(r io.ReaderAt, off, n int64) (string, error) {
	if n > 4096 {
		return "", fmt.Errorf("a name of %d bytes", n)
	}
	b := make([]byte, n)
	if k, err := r.ReadAt(b, off); k < len(b) {
		return "", fmt.Errorf("read at byte %d: %w", off, err)
	}
	return string(b), nil
}
