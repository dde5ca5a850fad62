"""Verifies a licence file of Tenure without a network. Needs the package `cryptography`.

python3 verify.py licence.jws jwks.json [machine]
"""
import base64
import json
import sys
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TYPE = "tenure-license+jwt"
AUDIENCE = "urn:tenure:license-file"
LEEWAY_S = 60  # Clocks of machines differ a little.


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def verify_file(file, jwks, machine=None, now_s=None):
    """Returns the claims of a file that is genuine and has not ended, and raises ValueError otherwise."""
    now_s = time.time() if now_s is None else now_s
    parts = file.strip().split(".")
    if len(parts) != 3:
        raise ValueError("the file is no compact JWS")
    header = json.loads(decoded(parts[0]))
    if header.get("alg") != "EdDSA" or header.get("typ") != TYPE or "crit" in header:
        raise ValueError("the file is no licence file")
    keys = [
        key for key in jwks["keys"]
        if (key.get("kid"), key.get("kty"), key.get("crv")) == (header.get("kid"), "OKP", "Ed25519")
    ]
    if not keys:
        raise ValueError("no known key has signed the file")
    try:
        key = Ed25519PublicKey.from_public_bytes(decoded(keys[0]["x"]))
        key.verify(decoded(parts[2]), f"{parts[0]}.{parts[1]}".encode())
    except InvalidSignature:
        raise ValueError("the signature of the file is wrong") from None
    claims = json.loads(decoded(parts[1]))
    if claims.get("aud") != AUDIENCE:
        raise ValueError("the file is for another purpose")
    if claims["nbf"] > now_s + LEEWAY_S or claims["exp"] <= now_s - LEEWAY_S:
        raise ValueError("the file is not valid now")
    if claims["machine"] is not None and claims["machine"] != machine:
        raise ValueError("the file is for another machine")
    return claims


if __name__ == "__main__":
    try:
        with open(sys.argv[1]) as file, open(sys.argv[2]) as jwks:
            print(json.dumps(verify_file(file.read(), json.load(jwks), *sys.argv[3:4])))
    except ValueError as error:
        sys.exit(str(error))
