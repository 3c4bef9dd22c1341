<?php
/** $body is the raw body, as file_get_contents('php://input') gives it. */
function verify(string $body, string $header, string $secret, ?int $now = null): bool
{
    $t = null;
    $given = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
        if ($name === 't' && $t === null) {
            $t = $value;
        } elseif ($name === 'v1') {
            $given[] = $value;
        }
    }
    if ($t === null || !ctype_digit($t) || abs(($now ?? time()) - (int) $t) > 300) {
        return false;
    }
    $expected = hash_hmac('sha256', $t . '.' . $body, $secret);
    foreach ($given as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}
