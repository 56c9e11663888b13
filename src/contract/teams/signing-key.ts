/** Schema of the public key of a store, which verifies the documents that it signs. */
import * as z from 'zod'
import { component } from '../kernel/primitives.ts'

export const publicKeyReply = () =>
  component('PublicKey', {
    kid: z.string().meta({ description: 'Fingerprint: the JWK thumbprint with SHA-256 (RFC 7638)' }),
    algorithm: z.literal('EdDSA'),
    pem: z.string().meta({ description: 'The key as PEM (SubjectPublicKeyInfo)' }),
    jwk: z
      .object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      })
      .meta({ description: 'The key as a JSON Web Key (RFC 8037)' }),
  })
