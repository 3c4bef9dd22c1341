<?php
// A receiver of webhooks: WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 receiver.php
require __DIR__ . '/verify.php';

// An empty secret would verify what anyone has signed with it.
$secret = getenv('WEBHOOK_SECRET') ?: throw new RuntimeException('set WEBHOOK_SECRET to the secret of the endpoint (whsec_…)');
$body = file_get_contents('php://input');
if (!verify($body, $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '', $secret)) {
    http_response_code(400);
    return;
}
$event = json_decode($body, true);
// Keep these ids in your database, with the work itself in one transaction.
$processed = (getenv('PROCESSED') ?: sys_get_temp_dir()) . '/' . hash('sha256', $event['id']);
$isNew = @fopen($processed, 'x') !== false;
// A full disk or a missing permission: the event is sent again later.
if (!$isNew && !file_exists($processed)) {
    http_response_code(500);
    return;
}
if ($isNew) {
    file_put_contents('php://stdout', $event['type'] . ' ' . $event['data']['object']['id'] . "\n");
}
http_response_code(204);
