// A receiver of webhooks on net/http: WEBHOOK_SECRET=whsec_… PORT=3000 go run receiver.go verify.go
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

var secret = os.Getenv("WEBHOOK_SECRET")

// Keep these ids in your database, with the work itself in one transaction.
var processed sync.Map

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !Verify(body, r.Header.Get("Service-Signature"), secret, time.Now()) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data struct {
			Object struct {
				ID string `json:"id"`
			} `json:"object"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if _, isKnown := processed.LoadOrStore(event.ID, true); !isKnown {
		fmt.Println(event.Type, event.Data.Object.ID)
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	// An empty secret would verify what anyone has signed with it.
	if secret == "" {
		fmt.Fprintln(os.Stderr, "set WEBHOOK_SECRET to the secret of the endpoint (whsec_…)")
		os.Exit(1)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.HandleFunc("/", receive)
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+port, nil))
	os.Exit(1)
}
