import { open, type Section, seen, unseen } from './sentence.ts'

/** The sentences about tasks and clips. */
export const MEDIA_SECTIONS: readonly Section[] = [
  {
    title: 'Generation task',
    sentences: [
      seen('a creation answers `{task_id: integer}`', 'task-created'),
      seen('`GET /task/{task_id}` has `status`, `result_urls` and `error`', 'task-fields'),
      seen('`status` is one of five', 'task-status'),
      seen('`result_urls` are links when it is a success', 'task-links'),
      seen('the links are permanent', 'task-permanent'),
      seen('they lead to the result', 'task-result'),
      seen(
        'otherwise `result_urls` is null',
        'task-waiting',
        'task-queuing',
        'task-generating',
        'task-fail',
      ),
      seen(
        '`error` is null unless it failed',
        'task-error',
        'task-waiting',
        'task-queuing',
        'task-generating',
      ),
      seen('a fail has `{code: integer, message: string}`', 'task-fail'),
      unseen(
        'links are permanent for ever',
        'a run ends; it fetches each link twice, ten seconds apart',
      ),
      open('other fields of a task'),
    ],
  },
  {
    title: 'States',
    sentences: [
      seen(
        '`waiting`, `queuing` and `generating` are not the end',
        'task-waiting',
        'task-queuing',
        'task-generating',
      ),
      seen('a task goes forward', 'task-forward'),
      seen('`success` and `fail` change no more', 'task-end'),
      seen('at a fail a refund is queued', 'task-refund'),
      unseen('a clip takes 5 to 15 minutes', 'typical, not promised'),
      open('the transitions'),
    ],
  },
  {
    title: 'Creations',
    sentences: [
      seen('the price is fixed, and charged at creation', 'task-charge'),
      seen('what the provider refuses is 502 or 503', 'creation-refused'),
      seen('at 503 what was taken is returned', 'creation-refund'),
      unseen(
        '503: the balance service fails',
        'a part of the service that only its operator can stop',
      ),
      seen('all creation endpoints take `X-Callback-Url`', 'callback-taken'),
      open('paths and bodies of the other creation endpoints'),
    ],
  },
  {
    title: 'Video generation request',
    sentences: [
      seen('`prompt` is required, 1 to 5000 characters', 'video-prompt'),
      seen('`duration` is 5 or 10', 'video-duration'),
      seen('`quality` is `720p` or `1080p`', 'video-quality'),
      seen('`1080p` is not available with 10 seconds', 'video-1080p'),
      seen('`image_url` is a URL', 'video-image'),
      unseen('a picture selects image to video', 'what a clip shows is for people to judge'),
      seen(
        '`aspect_ratio` is `1280:720` or `720:1280`, and required without a picture',
        'video-aspect-ratio',
      ),
      seen('422 has a list of fields as `detail`', 'video-422'),
      unseen(
        'the defaults, 5 seconds and 720p',
        'the document names no field by which they would show',
      ),
      unseen(
        'the price is labelled `vidgen-<quality>-<duration>s`',
        'labels are in no answer of the document',
      ),
      open('the status of `1080p` with 10 seconds'),
    ],
  },
  {
    title: 'Polling',
    sentences: [
      seen('at most one poll of a task in 3 seconds', 'limit-polls'),
      open(
        'an unknown task, and one of another account: it is judged that neither is shown (`task-unknown`, `task-foreign`)',
      ),
      seen('a task is its account’s', 'task-unknown', 'task-foreign'),
    ],
  },
]
