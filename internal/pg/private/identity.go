package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// identity is the operating system user that the server runs as.
type identity struct {
	uid, gid  int    // on the host: the owner of the data folder
	as        how    // how to become that user
	innerUID  int    // inside the user namespace, for inNamespace
	innerGID  int    // likewise
	innerName string // likewise
}

type how int

const (
	asSelf      how = iota // we are that user
	asOther                // root becomes that user
	inNamespace            // we stay who we are, the server sees another user
)

// serverIdentity decides whom the server runs as. What exists decides: a data
// folder keeps its owner. Otherwise ourselves, or for root the owner of
// BMCIS_HOME, or else the user postgres or nobody.
func (c *Cluster) serverIdentity() (identity, error) {
	self, selfGID := os.Geteuid(), os.Getegid()
	dataUID, dataGID, err := owner(c.data())
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return identity{}, fmt.Errorf("look at the data folder: %w", err)
	}
	if self != 0 {
		if exists && dataUID != self {
			return identity{}, c.notOurs()
		}
		id := identity{uid: self, gid: selfGID}
		if _, err := user.LookupId(strconv.Itoa(self)); err != nil {
			// PostgreSQL wants its user's name; a namespace lends it one.
			return c.namespaced(id, fmt.Errorf("user id %d has no name (no entry in /etc/passwd)", self))
		}
		return id, nil
	}
	homeUID, homeGID, err := owner(c.home)
	if err != nil {
		return identity{}, fmt.Errorf("look at the data folder: %w", err)
	}
	switch {
	case exists && dataUID == 0:
		return c.namespaced(identity{}, fmt.Errorf("data folder %s belongs to root, and PostgreSQL does not run as root", c.data()))
	case exists:
		homeUID, homeGID = dataUID, dataGID
	case homeUID == 0:
		if homeUID, homeGID, err = serviceUser(); err != nil {
			return c.namespaced(identity{}, err)
		}
	}
	id := identity{uid: homeUID, gid: homeGID, as: asOther}
	if blocked := firstBlocked(id.uid, id.gid, c.dir(), c.bin); blocked != "" {
		why := fmt.Errorf("the database runs as %s, who may not enter %s", userName(id.uid), blocked)
		if exists {
			return identity{}, fmt.Errorf("%w; let others pass (chmod o+x), or set BMCIS_HOME to a folder such as /var/lib/bmcis", why)
		}
		return c.namespaced(identity{}, why)
	}
	return id, nil
}

// serviceUser finds the user that runs the server for root.
func serviceUser() (uid, gid int, err error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return 0, 0, err
		}
		return uid, gid, nil
	}
	return 0, 0, errors.New("neither user postgres nor nobody exists")
}

// namespaced is the last resort: the server runs with our rights in a user
// namespace that shows it another user. why is reported when that is refused too
// (by a container's seccomp profile, inside chroot, by sysctl).
func (c *Cluster) namespaced(id identity, why error) (identity, error) {
	id.as = inNamespace
	// Not nobody: processes of users that the namespace does not know look like
	// nobody, and would be taken for the owner.
	for _, name := range []string{"postgres", "daemon", "bin", "mail"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		id.innerName = u.Username
		id.innerUID, _ = strconv.Atoi(u.Uid)
		id.innerGID, _ = strconv.Atoi(u.Gid)
		break
	}
	if id.innerUID == 0 {
		return id, fmt.Errorf("%w; set BMCIS_HOME to a folder that all may enter, such as /var/lib/bmcis", why)
	}
	probe := exec.Command(filepath.Join(c.bin, "postgres"), "--version")
	probe.SysProcAttr = id.attributes()
	if err := probe.Run(); err != nil {
		return id, fmt.Errorf("%w, and a user namespace is refused here (%v); set BMCIS_HOME to a folder that all may enter, such as /var/lib/bmcis", why, err)
	}
	return id, nil
}

// attributes makes a command run as this user.
func (id identity) attributes() *syscall.SysProcAttr {
	switch id.as {
	case asOther:
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id.uid), Gid: uint32(id.gid)}}
	case inNamespace:
		return namespaceAttributes(id)
	}
	return &syscall.SysProcAttr{}
}

// give makes path the server's own.
func (id identity) give(path string) error {
	if id.as != asOther {
		return nil
	}
	return os.Lchown(path, id.uid, id.gid)
}

// clientNames are the operating system users whom the server lets in as it sees
// them: the owner of BMCIS_HOME, and root.
func (c *Cluster) clientNames(id identity) []string {
	if id.as == inNamespace {
		return []string{id.innerName} // that is how we look from inside
	}
	names := []string{"root"}
	if uid, _, err := owner(c.home); err == nil && uid != 0 {
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			names = append(names, u.Username)
		}
	}
	return names
}

// firstBlocked returns the first folder on the way to the paths that the user
// may not enter. It reads mode bits only; what an ACL allows beyond them is not
// seen.
func firstBlocked(uid, gid int, paths ...string) string {
	for _, path := range paths {
		var above []string
		for dir := path; ; dir = filepath.Dir(dir) {
			above = append(above, dir)
			if dir == filepath.Dir(dir) {
				break
			}
		}
		for i := len(above) - 1; i >= 0; i-- {
			info, err := os.Stat(above[i])
			if err != nil {
				continue // not there yet: made by us, with the right mode
			}
			st := info.Sys().(*syscall.Stat_t)
			bit := fs.FileMode(0o001)
			switch {
			case int(st.Uid) == uid:
				bit = 0o100
			case int(st.Gid) == gid:
				bit = 0o010
			}
			if info.Mode().Perm()&bit == 0 {
				return fmt.Sprintf("%s (mode %04o)", above[i], info.Mode().Perm())
			}
		}
	}
	return ""
}

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user id " + strconv.Itoa(uid)
}
