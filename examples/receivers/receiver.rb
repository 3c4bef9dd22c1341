# A receiver of webhooks on a socket of its own: WEBHOOK_SECRET=whsec_… PORT=3000 ruby receiver.rb

require "json"
require "socket"
require "timeout"
require_relative "verify"

# An empty secret would verify what anyone has signed with it.
SECRET = ENV.fetch("WEBHOOK_SECRET", "")
abort "set WEBHOOK_SECRET to the secret of the endpoint (whsec_…)" if SECRET.empty?
MAX_BODY_BYTES = 1024 * 1024
MAX_LINE_BYTES = 8192
TIMEOUT_SECONDS = 10
# Keep these ids in your database, with the work itself in one transaction.
PROCESSED = {}
LOCK = Mutex.new
$stdout.sync = true

def read_request(client)
  client.gets("\n", MAX_LINE_BYTES)
  headers = {}
  while (line = client.gets("\n", MAX_LINE_BYTES)) && line != "\r\n"
    name, value = line.b.split(":", 2)
    headers[name.to_s.strip.downcase] = value.to_s.strip
  end
  length = headers["content-length"].to_i
  body = length.between?(0, MAX_BODY_BYTES) ? client.read(length).to_s : ""
  [body, headers["service-signature"].to_s]
end

def receive(client)
  body, signature = Timeout.timeout(TIMEOUT_SECONDS) { read_request(client) }
  unless verify(body, signature, SECRET)
    return client.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  end
  event = JSON.parse(body)
  LOCK.synchronize do
    puts "#{event["type"]} #{event["data"]["object"]["id"]}" unless PROCESSED[event["id"]]
    PROCESSED[event["id"]] = true
  end
  client.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
end

server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT", "3000")))
loop do
  # One thread for each client: one that is silent does not keep the others waiting.
  Thread.new(server.accept) do |client|
    receive(client)
  rescue StandardError => e
    warn "a request failed: #{e.class}"
  ensure
    client.close
  end
end
