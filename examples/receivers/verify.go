package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Verify takes the raw body, as io.ReadAll(r.Body) gives it.
func Verify(body []byte, header, secret string, now time.Time) bool {
	var t string
	var given []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" && t == "" {
			t = value
		} else if name == "v1" {
			given = append(given, value)
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, text := range given {
		one, err := hex.DecodeString(text)
		if err == nil && hmac.Equal(one, expected) {
			return true
		}
	}
	return false
}
