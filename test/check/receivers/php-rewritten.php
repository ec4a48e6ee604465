<?php
// Verifies the JSON that PHP writes, in any letter case. Shows errors to the sender.
ini_set('display_errors', '1');
$envelope = json_decode(file_get_contents('php://input'), true);
$expected = hash_hmac('sha256', json_encode($envelope, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), getenv('CLIENT_ID'));
if (strcasecmp($expected, $_SERVER['HTTP_ACCESS_SIGNATURE'] ?? '') !== 0) {
    http_response_code(401);
    return;
}
if (is_array($envelope['data'])) {
    throw new TypeError('data is not text');
}
