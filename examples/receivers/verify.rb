require "openssl"

# `body` is the raw body, as request.raw_post gives it in Rails, request.body.read in Rack.
def verify(body, header, secret, now = Time.now.to_i)
  parts = header.b.split(",").map { |part| part.split("=", 2) }
  t = parts.find { |name, _| name == "t" }&.last.to_s
  return false unless t.match?(/\A\d+\z/) && (now - t.to_i).abs <= 300

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{t}.#{body}")
  parts.any? do |name, value|
    name == "v1" && value.to_s.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(value, expected)
  end
end
