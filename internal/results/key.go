package results

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Key signs results: whoever can write into the directory and has not the key can remove what is there, and can make
// nothing up. Without a key, digests tell what is damaged, and nobody tells what is forged.
type Key []byte

// The bounds of a key, in bytes. HMAC-SHA256 makes no use of more than leastKey of randomness.
const (
	leastKey = 32
	mostKey  = 4096
)

// ReadKey reads a key. It may be a link, as those of mounted Secrets are. A file that everybody may read, or another
// group write, is refused; no error has any of it.
func ReadKey(path string) (Key, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is no file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o027 != 0:
		return nil, fmt.Errorf("%s: its permissions are %04o: others may read it, or write it; chmod 0400 or 0440", path,
			info.Mode().Perm())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, mostKey+1))
	if err != nil {
		return nil, err
	}
	if len(key) < leastKey || len(key) > mostKey {
		return nil, fmt.Errorf("%s: a key has %d to %d bytes; make one with openssl rand -base64 48", path, leastKey,
			mostKey)
	}
	return key, nil
}

// String keeps a key out of what is printed.
func (k Key) String() string { return "(a key)" }

// GoString likewise.
func (k Key) GoString() string { return k.String() }

// signed returns what a signature of the header covers: all that says what the result is of, and its digest.
func (h Header) signed() []byte {
	h.Signature = ""
	return signed("result", h)
}

// signed returns what a signature of the run covers.
func (r Run) signed() []byte {
	r.Signature = ""
	return signed("run", r)
}

// signed tells apart what is signed, so that one is never taken for the other.
func signed(what string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("results: a %T cannot be written: %v", value, err)) // they are strings
	}
	return append([]byte("modelcheck "+what+"\n"), text...)
}

// sign returns the HMAC-SHA256, in hexadecimal; nothing without a key.
func (k Key) sign(text []byte) string {
	if len(k) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, k)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

// check says what is wrong with a signature; nothing without a key.
func (k Key) check(text []byte, signature string) string {
	switch {
	case len(k) == 0:
		return ""
	case signature == "":
		return "it is not signed, and a key is given"
	case !hmac.Equal([]byte(signature), []byte(k.sign(text))): // in constant time
		return "its signature is not one of the key that is given: it is forged, or of a run with another key"
	}
	return ""
}
