package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const maxLog = 8 << 20

// openLog opens the server's log for appending. The server inherits the file, so
// its log goes on when the supervisor is killed.
func (c *Cluster) openLog() (*os.File, error) {
	c.rotateLog()
	f, err := os.OpenFile(c.LogFile(), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the database's log: %w", err)
	}
	return f, c.giveToOwner(c.LogFile())
}

// rotateLog keeps the log bounded: it is copied away and cut in place, because
// the server keeps it open. Lines written between the two are lost.
func (c *Cluster) rotateLog() {
	info, err := os.Stat(c.LogFile())
	if err != nil || info.Size() < maxLog {
		return
	}
	in, err := os.Open(c.LogFile())
	if err != nil {
		return
	}
	defer in.Close()
	// The end tells more than the beginning.
	in.Seek(max(0, info.Size()-maxLog), io.SeekStart)
	out, err := os.OpenFile(c.LogFile()+".1", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	_, err = io.Copy(out, io.LimitReader(in, maxLog))
	if errors.Join(err, out.Close(), c.giveToOwner(out.Name())) == nil {
		os.Truncate(c.LogFile(), 0)
	}
}

// note writes a line of our own into the log.
func (c *Cluster) note(format string, args ...any) {
	f, err := os.OpenFile(c.LogFile(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(f, "%s UTC [%d] SUPERVISOR:  %s\n", time.Now().UTC().Format("2006-01-02 15:04:05.000"), os.Getpid(), fmt.Sprintf(format, args...))
}

// logSince returns what the server complained about since an offset, in one line.
func (c *Cluster) logSince(offset int64) string {
	f, err := os.Open(c.LogFile())
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(io.NewSectionReader(f, offset, 1<<20), 1<<20))
	var words []string
	for line := range strings.Lines(string(text)) {
		for _, mark := range []string{"FATAL:", "PANIC:", "ERROR:", "HINT:", "postgres:"} {
			if i := strings.Index(line, mark); i >= 0 {
				words = append(words, strings.Join(strings.Fields(line[i:]), " "))
				break
			}
		}
	}
	if len(words) == 0 {
		return lastLines(string(text))
	}
	return strings.Join(words[:min(4, len(words))], "; ")
}

// removeStale removes postmaster.pid; see heal for why that is safe there.
func removeStale(data string) error {
	err := os.Remove(filepath.Join(data, "postmaster.pid"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the crashed server's postmaster.pid: %w", err)
	}
	return nil
}

func sqlState(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}
