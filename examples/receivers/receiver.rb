# A receiver of webhooks on a socket of its own: WEBHOOK_SECRET=whsec_… PORT=3000 ruby receiver.rb

require "json"
require "socket"
require_relative "verify"

SECRET = ENV.fetch("WEBHOOK_SECRET")
# Keep these ids in your database, with the work itself in one transaction.
processed = {}
$stdout.sync = true

server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT", "3000")))
loop do
  client = server.accept
  client.gets
  headers = {}
  while (line = client.gets) && line != "\r\n"
    name, value = line.chomp.split(": ", 2)
    headers[name.downcase] = value
  end
  body = client.read(headers["content-length"].to_i)
  if verify(body, headers["service-signature"].to_s, SECRET)
    event = JSON.parse(body)
    puts "#{event["type"]} #{event["data"]["object"]["id"]}" unless processed[event["id"]]
    processed[event["id"]] = true
    client.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
  else
    client.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  end
  client.close
end
