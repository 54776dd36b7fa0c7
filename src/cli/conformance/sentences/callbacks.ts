import { open, type Section, seen, unseen } from './sentence.ts'

/** The sentences about callbacks. */
export const CALLBACK_SECTIONS: readonly Section[] = [
  {
    title: 'Callback',
    sentences: [
      seen('it is sent when a task ends in success, if an address was given', 'callback-taken'),
      seen('and when it ends in fail', 'callback-fail'),
      seen('it is a POST of JSON', 'callback-post'),
      seen('it has all seven fields, each of its type', 'callback-body'),
      seen('`code` is 200 on success and another on fail', 'callback-body', 'callback-fail'),
      seen('`error` is a string on fail', 'callback-fail'),
      seen('task, end and links are those that polls show', 'callback-task'),
      seen('any 2xx takes it', 'callback-taken', 'callback-any-2xx'),
      seen('3 attempts in total: at once, after 5 s, after 15 s', 'callback-attempts'),
      seen(
        'an answer that is no 2xx takes nothing; a redirect is one',
        'callback-attempts',
        'callback-redirect',
      ),
      seen('an answer is waited for about 10 s', 'callback-read-timeout'),
      unseen(
        'a connection is waited for about 5 s',
        'a connection that does not come about is not seen by the one that does not take it',
      ),
      seen('a failed delivery keeps the task, and its result by polling', 'callback-keeps-task'),
      seen('clips send none', 'video-no-callback'),
      unseen(
        '`timestamp` is when the notification was built',
        'no clock of the service is known; it is judged that it is a whole number',
      ),
    ],
  },
  {
    title: 'Signature',
    sentences: [
      seen('`X-Callback-Timestamp` is Unix seconds, digits only', 'callback-headers'),
      seen(
        'a receiver rejects one older than 300 s, so it is of now at each attempt',
        'callback-headers',
      ),
      seen('`X-Callback-Signature` is `sha256=<hex>`', 'callback-headers'),
      seen('of HMAC-SHA256 by the secret over `<timestamp>.<raw body>`', 'callback-signature'),
      unseen('how a receiver compares and answers', 'binds the receiver, not the service'),
    ],
  },
  {
    title: 'Callback address',
    sentences: [
      seen('`http` or `https` only, at most 500 characters', 'callback-url'),
      seen(
        'no private address: localhost, 127/8, 10/8, 192.168/16, link-local, metadata',
        'callback-public',
      ),
      seen('nor a name that the DNS leads to one', 'callback-names'),
    ],
  },
  {
    title: 'Callback secret',
    sentences: [
      seen('`GET /callback/secret` returns it, the same ever after', 'secret-same'),
      seen('it is the account’s own', 'secret-own'),
      seen('10 requests a minute', 'limit-secrets'),
      open('the fields of the answer'),
    ],
  },
]
