<?php
// A right receiver. Usage: CLIENT_ID=… TOKEN=… php -S 127.0.0.1:3000 right.php
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    return;
}
$body = file_get_contents('php://input', length: 1_048_577);
if (strlen($body) > 1_048_576) {
    http_response_code(413);
    return;
}
$token = $_GET['token'] ?? '';
if (!is_string($token) || !hash_equals(getenv('TOKEN'), $token)) {
    http_response_code(401);
    return;
}
$signature = $_SERVER['HTTP_ACCESS_SIGNATURE'] ?? '';
$expected = hash_hmac('sha256', $body, getenv('CLIENT_ID'));
if (!preg_match('/^[0-9a-f]{64}\z/', $signature) || !hash_equals($expected, $signature)) {
    http_response_code(401);
    return;
}
$envelope = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
$type = is_array($envelope) ? ($envelope['type'] ?? null) : null;
http_response_code(is_string($type) ? 200 : 400);
