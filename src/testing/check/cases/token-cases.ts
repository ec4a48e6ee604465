import type { Cases, Need, SendingCase } from '../check-case.ts'
import { each } from '../samples.ts'

const SEEN =
  'The client id is the key, but no secret: it is in the URL of every authorize call, and in pages and mobile applications that embed the widget of the service. Whoever has seen it can sign.'

const invertCase = (token: string) =>
  token.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

/** A part of a path that looks like a token: long, with digits before letters. */
const IN_PATH = /(?<=\/)(?=[^/]*\d[a-z])[\w~.-]{16,}/gi

const A_TOKEN: Need = { what: 'a token in the URL', isMet: ({ token }) => token !== undefined }

/** What a right signature must not be enough for. */
export const TOKEN_CASES: Cases<SendingCase> = {
  'callback-token': {
    needs: A_TOKEN,
    title: 'A URL without the callback token, and with wrong ones',
    why: `${SEEN} The token is a secret.`,
    mend: 'Compare the whole token of the URL in constant time, and respond with 401 unless it is the one that you registered.',
    expects: 'rejected',
    requests: ({ token = '', pathWith }) => {
      const paths = {
        none: pathWith(),
        empty: pathWith(['token', '']),
        'all but its last letter': pathWith(['token', token.slice(0, -1)]),
        'a letter more': pathWith(['token', `${token}x`]),
        'upper and lower case exchanged': pathWith(['token', invertCase(token)]),
        'two wrong ones': pathWith(['token', 'payhook'], ['token', 'check']),
        'a list': pathWith(['token[]', 'payhook']),
      }
      return Object.entries(paths)
        .filter(([, path]) => path !== pathWith(['token', token]))
        .map(([label, path]) => ({ label, path }))
    },
  },
  'callback-token-elsewhere': {
    needs: A_TOKEN,
    title: 'Other methods and other spellings of the path, without the callback token',
    why: `${SEEN} A receiver that looks for the token in POST requests for one path may be reached by others.`,
    mend: 'Look for the token where the signature is verified, whatever the method and the spelling of the path.',
    expects: 'not accepted',
    requests: ({ spellings, pathWith, pathname }) => [
      { label: 'PUT', method: 'PUT', path: pathWith(), expected: 'rejected' },
      { label: 'PATCH', method: 'PATCH', path: pathWith(), expected: 'rejected' },
      ...each(spellings, (spelling) => ({ path: pathWith().replace(pathname, spelling) })),
    ],
  },
  'no-callback-token': {
    needs: { what: 'a URL without a token', isMet: ({ token }) => token === undefined },
    level: 'should',
    title: 'A genuine notification to the URL without a callback token',
    why: SEEN,
    mend: 'Put a long random token into the URL that you register, as in /webhooks?token=…, and reject requests without it. Then check the URL with the token.',
    expects: 'rejected',
    requests: ({ pathname }) => [{ path: pathname.replace(IN_PATH, (part) => part.slice(1)) }],
  },
}
