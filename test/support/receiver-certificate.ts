// A self-signed certificate with its key, for receivers that tests start on loopback: receiver.example,
// localhost, 127.0.0.1 and ::1, valid from 2020 to 2120. It was made once with `openssl ca -selfsign` so that no test
// needs openssl; it guards nothing.

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmTCCAT+gAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZl
ci5leGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBByZWNlaXZlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEfHC9DyqBzIg/8oHreSRH+Sisl8cuMwbE3BW5bvm+kX5Y9cpW6AdlmYAHKcjd
M1H/azzoQcOY4EgRhKJ0JYii8KNyMHAwPgYDVR0RBDcwNYIQcmVjZWl2ZXIuZXhh
bXBsZYIJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMA8GA1UdEwEB
/wQFMAMBAf8wHQYDVR0OBBYEFJIo1NPCcd6dyQNciQW+EiokRbfVMAoGCCqGSM49
BAMCA0gAMEUCICy4/WlKXsvC3uj06Y4ptXOO2BSWSab8TGtiZlcb/qzIAiEAoR+f
76NxV1TqYAgYK0E1J6X4/1w3tqTepd5VaxGEhGo=
-----END CERTIFICATE-----
`;

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgY5Nv2ohsa3JF3MYy
2isIP4HTfUlGKatuPY4u7A5uu+WhRANCAAR8cL0PKoHMiD/yget5JEf5KKyXxy4z
BsTcFblu+b6Rflj1ylboB2WZgAcpyN0zUf9rPOhBw5jgSBGEonQliKLw
-----END PRIVATE KEY-----
`;
