// A right receiver. Usage: right CLIENT_ID CLIENT_SECRET TOKEN
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"time"
)

var signaturePattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func receive(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !hmac.Equal([]byte(r.URL.Query().Get("token")), []byte(os.Args[3])) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	mac := hmac.New(sha256.New, []byte(os.Args[1]))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	given := r.Header.Values("Access-Signature")
	if len(given) != 1 || !signaturePattern.MatchString(given[0]) || !hmac.Equal([]byte(given[0]), []byte(expected)) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var envelope struct {
		Type *string         `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Type == nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	panic(server.Serve(listener))
}
