## Commands and how they are described in the menu

command-help = what I can do
command-new = start a new conversation
command-model = choose the model that answers
command-system = an instruction for this conversation
command-chats = go back to an earlier conversation
command-history = read this conversation back
command-export = this conversation as a file
command-forget = erase everything I keep of you
command-costnote = which answers tell what they cost
command-alerts = what admins are told of unasked, and the daily digest
command-media = what holds for orders of clips, pictures and sounds
command-stop = stop the answer being written
command-retry = answer my last message again, or with another model
command-usage = what you have spent, and what the next message costs
command-video = make a clip from a description or a picture
command-image = make a picture from a description
command-sound = make a sound from a description
command-orders = your clips, pictures and sounds
command-balance = what is left on the service's account
command-spend = what each user has spent
command-users = who has written to me, and when last
command-stats = what goes on: users, turns, orders, queues
command-dashboard = the page with spend, limits and access
command-limit = what users and groups may spend
command-access = who may talk to me, and who has which role
command-block = block a user, or let them in again
command-language = choose my language
command-drafts = have answers grow in a draft

## What Telegram shows of the bot before anybody writes to it

bot-name = Kopeck
bot-short_description = Language models, clips, pictures and sounds. Every kopeck accounted for.
bot-description =
    Write anything, and a language model answers. Send a file to ask about it; reply to a message to ask about that one.

    I also make short clips, pictures and sounds.

    You see what it costs: /usage adds it up. In a group, mention me.

## Greeting and help

start = Hello, { $name }. Write to me, and a language model answers; I remember the conversation until you begin a new one with /new.
start-model = { $model } answers here; /model changes that.
start-price = { $model } answers here; /model changes that. A short question and its answer cost about { $amount } now.
start-media = I can also make short clips, pictures and sounds: /video, /image or /sound and a few words about what you want.
start-help = /help lists everything else.
start-examples = /help lists everything else. Or tap an example:
example-1 = Explain inflation to a ten-year-old
example-2 = Plan a weekend in Kazan
example-3 = Write a polite reply to a complaint
example-asked = You ask: { $question }
example-again = This was asked already: the answer is below. To ask again, write it yourself.
help =
    Write anything, and the model answers. It remembers the conversation until /new.

    • Reply to a message, or quote a part of it, to ask about just that.
    • Edit a question that was answered, and a button has it answered again from there.
    • Send a text file, a PDF or a Word document, with your question as the caption.
    • In a group, mention me or reply to me; I answer below the question, and who asks pays.
    • In a chat with topics, every topic is a conversation of its own.
help-viewer = What is spent:
help-admin = For admins:
unknown-command = I don't know this command. /help lists the ones I do.
service-unavailable = The service does not answer right now. Please try again in a minute.

new-conversation = A new conversation. What came before is set aside.
new-conversation-back = “{ $title }” is kept: the button goes back to it, /chats to any conversation here.
new-conversation-instructed = A new conversation. What came before is set aside; your instruction stays: /system shows it.
new-conversation-running = The answer being written goes on and belongs to the conversation before, as do questions that wait for it.

stop-done = Stopped.
stop-nothing = Nothing is being written right now.
# What a message says that means only this, separated by commas.
stop-words = stop, stop it, stop please, please stop
stop-offer = Shall I stop the answer? I did not take this for a question.

## Choosing a model

model-choose = Which model shall answer here?
model-line = { $model } — in { $promptPrice }, out { $completionPrice }
model-prices = Prices are for 1 million tokens.
model-none = The service lists no models right now.
model-chosen = { $model } answers from the next message on.
model-unclear = No single model is meant by “{ $typed }”.
model-gone = This model is no longer offered. Please choose another one.

## The conversation

system-is = The model heeds this instruction here:
system-none = This conversation has no instruction. To give it one, write it after the command: /system Answer in short sentences.
system-set = From the next message on the model heeds this instruction. A new conversation keeps it; /system off removes it.
system-removed = The instruction is removed.
system-remove = Remove the instruction
system-too-long = The instruction has { $length } characters; at most { $limit } are possible. Please shorten it.
chats-title = Your conversations here, the newest first. Tap one to go back to it.
chats-found = Conversations with “{ $words }”. Tap one to go back to it.
chats-found-more = There are more; another word narrows it down.
chats-line =
    { $number }. { $title }
    { $cost } · { $at }{ $current ->
        [true] {""} · you are here
       *[false] {""}
    }
chats-topics = Each topic here has conversations of its own.
chats-none = No conversations yet. Write anything to begin one.
chats-not-found = Nothing found for “{ $words }”. /chats shows all conversations.
chats-gone = This conversation is gone.
chat-entered = You are back in “{ $title }”.
chat-last-question = The last question here: { $question }
chat-size = { $model } answers here and reads about { $tokens } tokens of what was said.
chat-entered-more = Write to go on. /history shows what was said.
button-chat-name = Rename
button-chat-back = « Back to “{ $title }”
button-chats = « All conversations
chat-name-ask = { $name }, what should “{ $title }” be called? Reply to this message with the new name.
chat-name-hint = New name
chat-named = This conversation is now called “{ $title }”.
history-empty = Nothing has been said in this conversation yet.
history-gone = There is nothing left to read here.
history-older = « Earlier
history-newer = Later »
history-summary = summary
history-set-aside = set aside
export-title = As it was on { $at }
export-instruction = Instruction
export-tokens = { $promptTokens } + { $completionTokens } tokens
export-usage = I write Markdown or JSON: /export or /export json
export-too-large = This conversation is larger than 50 MB, and Telegram takes no such file from me.

forget-ask =
    Shall I erase everything that I keep of you?

    Erased for ever: the conversations of our private chat, what you asked in groups and the answers to it, your clips' descriptions, your name, your language and your model. What is being written is stopped.

    Kept: your Telegram id, what you were charged and when, without what it was for, and what the admins decided on your access. The messages in Telegram itself stay until you delete them there, and what went to the service is not mine to erase.
forget-erase = Erase
forget-keep = Keep
forget-running = I am erasing. What is being written is stopped first.
forget-done = Everything that I kept of you is erased. What is written from now on is new.
forget-kept = Nothing was erased.
forget-expired = This question is too old, and nothing was erased. To be asked anew: /forget
forget-order = A clip of yours is still being made, so nothing was erased. Please write /forget again when it is there.
forget-not-yours = Only who asked for this can decide it.
forget-anonymous = You write in the name of the group, and I cannot tell which words are yours. Please write /forget as yourself.

## Spending

usage =
    { $whose ->
        [group] This group’s spend
       *[user] Your spend
    }
    Today: { $today }
    This month: { $month }
    In total: { $total }
usage-own-sent = Your own spend is on its way to our private chat.
usage-own-unsent = I can’t write to you yet, so your own spend didn’t arrive. Open a chat with me, press Start and send /usage there.
usage-estimated = Of this, { $estimated } is an estimate: the service didn’t say what it really cost.
usage-kinds = This month by kind
usage-items = This month by model
usage-history = This month, { $amount } ({ $percent }%) went on re-sent history: with every message the model reads the whole conversation again. /new starts a short one.
usage-size = This conversation is about { $tokens } tokens long.
usage-size-share =
    This conversation is about { $tokens } tokens long, { $percent ->
        [0] less than 1%
       *[other] { $percent }%
    } of what { $model } can read at once.
usage-next = The next message here will cost about { $amount }, plus the answer.
costnote-is = { $note ->
    [always] Every answer says what it cost and what the next message will cost.
    [off] Answers don’t say what anything costs.
   *[from] An answer says what it cost and what the next message will cost, each if it is { $amount } or more.
}
costnote-whose = { $whose ->
    [own] This is your own choice.
    [all] This is the setting for everyone.
   *[default] This is the default.
}
costnote-change = To change it: /costnote always, /costnote from 5 or /costnote off. To use the setting for everyone: /costnote default
costnote-change-all = For everyone: /costnote all from 5
chart-own = Your spend, last 30 days
chart-all = All spend, last 30 days
chart-empty = No spend
chart-users = Top spenders
chart-rest = { $count } more
costnote-usage = Send /costnote always, /costnote off or an amount in roubles, such as /costnote from 2.50
costnote-usage-all = Send /costnote all always, /costnote all off or an amount in roubles, such as /costnote all from 2.50
alerts-head = What I tell admins, each at most once an hour:
alerts-balance = • the balance is below { $amount }
alerts-balance-off = • low balance: off
alerts-days = • the balance will last less than { $days ->
        [one] a day
       *[other] { $days } days
    }
alerts-days-off = • days left: off
alerts-times = • a user spends { $times } times the usual amount in a day
alerts-times-off = • unusual spend: off
alerts-failures = • the service fails
alerts-failures-off = • service failures: off
alerts-digest = • daily digest at { $hour }
alerts-digest-off = • daily digest: off
alerts-usage = To change it: /alerts balance 500, /alerts days 3, /alerts times 5, /alerts failures on or /alerts digest 10. To turn one off, write off instead of the value, such as /alerts balance off
alerts-usage-balance = Write an amount in roubles, such as /alerts balance 500, or turn it off: /alerts balance off
alerts-usage-days = Write a number of days from 1 to 365, such as /alerts days 3, or turn it off: /alerts days off
alerts-usage-times = Write a whole number from 2 to 100, such as /alerts times 5, or turn it off: /alerts times off
alerts-usage-failures = Send /alerts failures on or /alerts failures off
alerts-usage-digest = Write an hour from 0 to 23, such as /alerts digest 10, or turn it off: /alerts digest off
media-rules =
    Rules for orders of clips, pictures and sounds:

    An order above { $amount } must be confirmed (/media confirm 200).
    { $parallel ->
        [one] One order of a user is
       *[other] Up to { $parallel } orders of a user are
    } made at the same time (/media parallel 5).
    An order that isn’t ready in { $minutes } min is given up and taken off its user’s spend (/media deadline 90).
media-usage = To change a rule: /media confirm 200, /media parallel 5 or /media deadline 90
media-confirm-usage = Write a price in roubles, such as /media confirm 200. After /media confirm 0 every paid order must be confirmed.
media-parallel-usage = Write a whole number from 1 to { $max }, such as /media parallel 5
media-deadline-usage = Write a number of minutes from 1 to { $max }, such as /media deadline 90
balance = The bot’s account at the service has { $balance } left.
balance-pace = At the recent pace, about { $pace } a day, it will last { $days ->
    [0] less than a day
    [one] { $days } day
   *[other] { $days } days
}.
balance-pace-year = At the recent pace, about { $pace } a day, it will last more than a year.
balance-no-pace = Nothing was spent in the last 7 days.
balance-check =
    Since { $from } the balance went down by { $moved }, and users were charged { $charged }.
    Difference: { $difference }.
balance-cause = { $amount } — { $cause ->
    [written_off] written off: the service kept it, no user pays
    [estimates] charged by estimate
    [under_way] in progress now
    [credited] paid into the account
   *[not_ours] not spent by this bot
}
balance-unsettled = Some requests are in progress or have only just ended, so part of the difference may still even out.
spend-none = Nobody spent anything in this period.
spend-nobody = Nobody matches “{ $search }”. Try part of a name, an @username or an id.
spend-kind = { $kind ->
    [answer] answers
    [retry] retries
    [summary] summaries
    [video] clips
    [image] pictures
   *[sound] sounds
}
spend-span = { $span ->
    [today] Today
    [week] Last 7 days
    [days] Last 30 days
    [month] This month
   *[all] All time
}
spend-span-button = { $span ->
    [today] Today
    [week] 7 days
    [days] 30 days
    [month] Month
   *[all] All time
}
spend-sum = { $amount } in total, { $charges ->
    [one] { $charges } charge
   *[other] { $charges } charges
}
spend-users = By user
spend-rest = { $count ->
    [one] { $count } other user
   *[other] { $count } other users
}
spend-kinds = By kind
spend-items = By model
spend-other-items = all others
spend-days = By day
spend-earlier = earlier
spend-estimated = Of this, { $amount } is an estimate.
spend-history = Of this, { $amount } ({ $percent }%) went on re-sent history.
spend-written-off = On top of this, { $amount } is written off: the service kept it, and no user pays for it.
spend-found = { $count } users match “{ $search }”. This month:
spend-found-more = { $count ->
    [one] One more matches. Write more of the name to narrow it down.
   *[other] { $count } more match. Write more of the name to narrow it down.
}
spend-orders = Last orders
spend-order = { $item }, { $at }: { $state ->
    [delivered] done, { $amount }
    [failed] failed, { $amount }
    [cancelled] cancelled
   *[other] in progress, { $amount }
}
spend-limit-button = Set limit
spend-limit-choose = { $asked ->
    [period] What period is the limit for?
   *[amount] How much may be spent { $period ->
        [day] a day
        [week] a week
        [month] a month
       *[all] in total
    }?
} Any other amount: /limit { $id } 750 month
spend-limit-period = { $period ->
    [day] Day
    [week] Week
    [month] Month
   *[all] In total
}
spend-limit-none = No limit
spend-limit-default = Default
spend-limit-done = The limit is set.
spend-file-button = All charges as a file
spend-picture-button = Chart
spend-picture-failed = I couldn’t draw the chart. Try again.
spend-file-comes = The file is on its way.
spend-files = There are too many charges for one file, so I sent { $count }.
spend-csv-usage = Choose a period: /spend csv today, 7d, 30d, month or all

## Limits

limit-amount = { $amount } { $period ->
    [day] a day
    [week] a week
    [month] a month
   *[all] in total
}
limit-none = { $period ->
    [day] no daily limit
    [week] no weekly limit
    [month] no monthly limit
   *[all] no total limit
}
limit-unlimited = no limit
limit-left = Limit of { $limit }: { $left } left{ $resets ->
    [never] {""}
   *[at] , resets on { $at }
}
limit-reached =
    { $whose ->
        [group] This group’s limit
       *[user] Your limit
    } of { $limit } isn’t enough for this: { $spent } is spent{ $isMore ->
        [true] {""}, { $reserved } is in progress
       *[false] {""}
    }{ $isPriced ->
        [true] {""}, and this may cost up to { $needed }
       *[false] {""}
    }. Nothing was charged.
    { $period ->
        [all] Only an admin can raise it.
       *[other] It resets on { $at }.
    }
button-ask-more = Ask for a higher limit
limit-request =
    { $name }, { $id }, asks for a higher limit.
    { $whose ->
        [group] The limit of the group { $subject }
       *[user] Their limit
    }: { $limit }. Spent of it: { $spent }.
limit-verb = { $verb ->
    [half] +50%: { $amount }
    [double] ×2: { $amount }
    [lift] No limit today
   *[refuse] Decline
}
limit-decided = { $decision ->
    [raised] Raised to { $limit }
    [lifted] No limit until midnight
   *[refused] Declined
}: { $admin }, { $at }
limit-answer = { $decision ->
    [raised] An admin raised { $whose ->
        [group] this group’s limit
       *[user] your limit
    } to { $limit }.
    [lifted] An admin lifted { $whose ->
        [group] this group’s limit
       *[user] your limit
    } until midnight.
   *[refused] The admins declined to raise { $whose ->
        [group] this group’s limit
       *[user] your limit
    }.
}
limit-asked = Request sent. I’ll write when the admins have decided.
limit-asked-already = The admins already have this request and haven’t decided yet.
limit-asked-refused = The admins declined this request. You can ask again a day later.
limit-has-room = There is room in this limit now. Try again.
limit-no-request = This request no longer exists.
limit-near =
    { $whose ->
        [group] This group has
       *[user] You have
    } spent { $spent } of { $limit }: { $left } is left.
    { $period ->
        [all] Only an admin can raise this limit.
       *[other] The limit resets on { $at }.
    }
limit-defaults =
    Default limits:
    for a user: { $users }
    for a group: { $groups }
    Admins have no default limit.
limit-usage =
    /limit @name 500 month — this user: at most ₽500 a month
    /limit 12345 none day — this user: no daily limit, whatever the default is
    /limit 12345 default day — this user: back to the default
    /limit -100123 5000 month — this group: at most ₽5,000 a month
    /limit default 200 day — the default for users
    /limit groups 3000 week — the default for groups
    /limit @name — a user’s limits and spend

    An id works instead of @name. Periods: day, week (from Monday), month, all.
limit-of = { $whose ->
    [group] Limits of the group { $id }:
   *[user] Limits of { $name } ({ $id }):
}
limit-line = { $limit } ({ $origin ->
    [own] own
   *[default] default
})
limit-line-spent = { $limit } ({ $origin ->
    [own] own
   *[default] default
}) — spent { $spent }, in progress { $reserved }, left { $left }
limit-lifted-today = None of them applies until midnight: an admin lifted them.
limit-who-unknown = I know no user or group “{ $who }”. A limit can be set for those who have written to me: see /users
limit-who-ambiguous = “{ $who }” has been the name of several users. Use the id from /users or /access.
limit-period-unknown = Add a period: day, week, month or all, such as /limit @name 500 month
limit-amount-malformed = “{ $amount }” isn’t an amount. Write roubles, such as 500 or 99.90, or none for no limit.
limit-amount-negative = A limit can’t be below zero. Write 0 to stop all spend, or none for no limit.
limit-amount-huge = A limit can be { $max } at most. For no limit, write none.

## Clips

order-summary = { $kind ->
    [image] picture, { $options }
    [sound] sound, { $options }
   *[video] { $options }
}
picture-no-public-url = I cannot hand pictures to the service from here, so a clip is made from words only. The admin can change it: this bot needs a public address.
picture-too-large = This picture is too large: at most 20 MB are possible. Please send it as a photo, Telegram then makes it smaller.
picture-wrong-shape = No clip can be made from a picture of this shape: each side needs 200 to 8000 pixels, and the longer one may be three times the shorter one at most. Please crop it.
picture-not-a-picture = A clip can be made from a photo only: JPEG, PNG or WebP. Please send it as a photo.
picture-one-of-several = These are several photos, and a clip is made from one. Please send the one alone, or answer it with /video.
picture-gone = I could not get this picture from Telegram. Please send it again.
price-unknown = price not known
order-waiting =
    { $summary } — { $price }
    It waits until one of your other orders is done.
order-placed =
    { $summary } — { $price }
    Taken, it goes to the service now.
order-in-line =
    { $summary } — { $price }
    { $position ->
        [1] You are next in line
       *[other] Place in line: { $position }
    }, about { $wait }. The service takes a few orders a minute.
order-service-away =
    { $summary } — { $price }
    The service is away at the moment. Your order is kept and goes out when it is back; nothing is charged before.
order-generating =
    { $summary } — { $price }
    { $kind ->
        [video] { $progress ->
            [begun] It is being made. This takes about 5–15 minutes; I will write when it is there.
            [late] It is being made, { $minutes } minutes so far. Most clips take 5–15; I will write when it is there.
           *[going] It is being made: { $minutes } of about 5–15 minutes.
        }
       *[other] It is being made. This takes a moment.
    }
order-ready =
    { $summary } — { $price }
    It is made and on its way to you.
order-delivered =
    { $summary } — { $price }
    { $kind ->
        [video] Done. The clip is below.
        [image] Done. The picture is below.
       *[sound] Done. The sound is below.
    }
order-failed =
    { $summary }
    This did not work out; why is written below.
order-cancelled =
    { $summary }
    Cancelled. Nothing was charged.
button-cancel = Cancel
cancel-done = Cancelled. Nothing was charged.
cancel-too-late = It is too late for that: the service has the order, or it has ended.
result-ready =
    { $count ->
        [one] { $kind ->
            [video] Your clip is ready. Here it comes.
            [image] Your picture is ready. Here it comes.
           *[sound] Your sound is ready. Here it comes.
        }
       *[other] { $kind ->
            [video] Your { $count } clips are ready. Here they come.
            [image] Your { $count } pictures are ready. Here they come.
           *[sound] Your { $count } sounds are ready. Here they come.
        }
    }
result-below =
    { $kind ->
        [video] Your { $count } clips:
        [image] Your { $count } pictures:
       *[sound] Your { $count } sounds:
    }
result-link =
    { $count ->
        [one] { $kind ->
            [video] Your clip is ready, but it is too large to be sent here. It is at this address:
            [image] Your picture is ready, but it is too large to be sent here. It is at this address:
           *[sound] Your sound is ready, but it is too large to be sent here. It is at this address:
        }
       *[other] { $kind ->
            [video] Your { $count } clips are ready, but they are too large to be sent here. They are at these addresses:
            [image] Your { $count } pictures are ready, but they are too large to be sent here. They are at these addresses:
           *[sound] Your { $count } sounds are ready, but they are too large to be sent here. They are at these addresses:
        }
    }
    { $links }
result-maybe-shown =
    The connection broke while I was sending your { $kind ->
        [video] { $count } clips
        [image] { $count } pictures
       *[sound] { $count } sounds
    }, so I don't know whether they arrived. I did not send them a second time. { $isLinked ->
        [true] They are at these addresses as well:
       *[false] If they are missing, /orders sends them again.
    }
    { $links }
media-refused-unknown = The service makes nothing of this kind, so nothing was ordered or charged.
result-gone =
    { $kind ->
        [video] This clip
        [image] This picture
       *[sound] This sound
    } cannot be fetched from the service right now, and Telegram does not hold it for me any more. Please try it again later.
clip-refused-balance = The bot's account at the service has too little money for this order. Nothing was charged. Please tell the admin.
clip-refused-request = The service does not take this description. Nothing was charged.
clip-refused-request-why =
    The service does not take this order. Nothing was charged. It said:
    { $reason }
clip-refused-provider = The service could not start this order. Nothing was charged. Please try it again, perhaps in other words.
clip-refused-busy = The line did not move for too long, so I took your order out of it. Nothing was charged.
clip-refused-unavailable = The service could not be reached for a while, so your order was not started. Nothing was charged. Please try again later.
clip-failed =
    { $kind ->
        [video] The clip
        [image] The picture
       *[sound] The sound
    } could not be made. { $price } went back to you.
clip-failed-why =
    { $kind ->
        [video] The clip
        [image] The picture
       *[sound] The sound
    } could not be made. { $price } went back to you. The service said:
    { $reason }
clip-outcome-unknown =
    The connection broke while I was placing your order, so I don't know whether it is being made. I did not place it again, so that it is not paid for twice. { $price } is noted as an estimate; the admin can look into it.
clip-overdue = It has been in the making for far too long, so I stopped waiting. { $price } went back to you.
clip-lost = The service no longer knows this order. { $price } went back to you.
clip-undeliverable =
    { $kind ->
        [video] The clip was made
        [image] The picture was made
       *[sound] The sound was made
    }, but I could not fetch it from the service. { $price } went back to you.
clip-chat-away =
    { $kind ->
        [video] The clip was made
        [image] The picture was made
       *[sound] The sound was made
    }, but this chat took no messages from me for a month. { $price } stay charged.
clip-chat-away-early = I could not answer in this chat, so I did not pass the order on. Nothing was charged.

## Cards

option-duration = { $seconds } s
option-shape = { $shape ->
    [square] square
    [portrait] vertical
   *[landscape] horizontal
}
option-from-picture = from a picture
media-too-long = The description has { $length } characters; at most { $limit } are possible. Please shorten it.
media-closed = The service that I use makes no { $kind ->
    [image] pictures
    [sound] sounds
   *[video] clips
}.
media-not-offered = The service does not make this at the moment. What else there is, /{ $kind } shows.
picture-video-only = Only a clip can be made from a picture: send it with /video, or answer it with /video.
card-words =
    { $kind ->
        [image] A picture
        [sound] A sound
       *[video] A clip
    }: { $summary } — { $price }

    Choose here what you like; I keep it for the next time.
card-ask =
    { $kind ->
        [image] What should be in the picture?
        [sound] What should be heard?
       *[video] { $motion ->
            [true] What should happen in the picture?
           *[false] What should be seen?
        }
    } Your answer to this message is the order.
card-ask-hint = { $kind ->
    [image] a fox in the snow, watercolour
    [sound] rain on a tin roof
   *[video] { $motion ->
        [true] the camera moves slowly closer
       *[false] a fox runs through the snow
    }
}
card-choice = What shall I order?
card-confirmation =
    { $kind ->
        [image] A picture
        [sound] A sound
       *[video] A clip
    }: { $summary } — { $price }

    Shall I order it?
card-ordered = Ordered: { $summary } — { $price }
card-dropped = Not ordered. Nothing was charged.
card-order = Order for { $price }
card-order-unknown = Order at an unknown price
card-literal = No, it is part of the description
card-drop = Don't order
card-price-changed = The price is no longer the one that you saw.
card-again = You have ordered from that card already. Is this one more?
card-own-shape = A clip from a picture has the picture's own shape.
card-question-no-value = { $count ->
    [one] There is no “{ $written }”.
   *[other] These do not exist: { $written }.
}
card-question-no-pair = { $count ->
    [one] “{ $written }” does not go with what you chose before.
   *[other] These do not go together: { $written }.
}
card-question-contradiction = These contradict each other: { $written }.
card-question-unclear = { $count ->
    [one] Is “{ $written }” a wish for the format, or part of the description?
   *[other] Are these wishes for the format, or parts of the description: { $written }?
}
card-no-pair = { $tapped } does not go with { $chosen }.
card-not-yours = This card is somebody else's. Get your own with /{ $kind }
card-old = This card is more than a day old. Get a new one with /{ $kind }
card-ordered-already = This is ordered already.
card-use-buttons = Please answer with the buttons below the card.
card-in-words = Please tell me in words.

## Orders

orders-title = Your orders, the newest first:
orders-none = You have not ordered anything yet. /video, /image and /sound make clips, pictures and sounds.
orders-line =
    { $number }. { $words }
    { $summary } — { $state ->
        [waiting] waits for your other orders
        [placed] in line
        [submitted] goes to the service
        [generating] being made
        [ready] on its way to you
        [delivered] done
        [cancelled] cancelled
       *[failed] failed
    }, { $price }
orders-one =
    { $summary }
    { $state ->
        [waiting] waits for your other orders
        [placed] in line
        [submitted] goes to the service
        [generating] being made
        [ready] on its way to you
        [delivered] done
        [cancelled] cancelled
       *[failed] failed
    }, { $price }
    { $at }
orders-free = nothing charged
orders-not-yours = This is another user's list. /orders shows yours.
button-orders = « All orders
button-send-again = Send again
button-again = Again
button-vertical = Vertical
button-horizontal = Horizontal
button-length = { $seconds } s
again-placed = Ordered.
again-under-way = You have ordered this already; it is under way.
again-sure =
    { $summary }
    This costs { $price }. Shall I order it?
again-new-price =
    { $summary }
    The price has changed: this costs { $price } now. Shall I order it?
button-animate = Animate

## Answers

reply-empty = The model gave an empty answer. Please ask in other words.
reply-cut = (The answer reached its length limit. Write "go on" to have the rest.)
reply-unseen = { $kind ->
    [photo] (I can’t see pictures; I took your caption as the question.)
    [video] (I can’t watch videos; I took your caption as the question.)
    [animation] (I can’t watch animations; I took your caption as the question.)
    [audio] (I can’t listen to recordings; I took your caption as the question.)
    [voice] (I can’t listen to voice messages; I took your caption as the question.)
   *[file] (I can’t open files of this kind; I took your caption as the question.)
}
reply-stopped = (Stopped.)
reply-stopped-in-queue = (Stopped before the model was asked, so nothing was charged.)
reply-waits = { $count ->
    [1] I will answer this after the question before it.
   *[other] I will answer this after the { $count } questions before it.
}
reply-begins = Answering…
reply-queued =
    Many questions are coming in right now.
    { $position ->
        [1] You are next in line
       *[other] Your place in line: { $position }
    }, about { $wait }. /stop takes you out of it.
wait-seconds = { $count } s
wait-minutes = { $count } min
reply-interrupted = (I was restarted while writing this, so the rest is missing. Press Retry to have it answered anew.)
reply-message-too-long = This message alone is longer than the model can read. Please shorten it, or choose a model with a larger context with /model.
reply-context = (This conversation fills { $percent } % of what the model can read at once. /new begins a fresh one.)
reply-next-cost = (The next message here will cost about { $amount }, plus the answer. /new begins a fresh one.)
summary-offer = Each message here costs about { $before } before its answer, because everything said so far is sent again. A summary costs about { $once } once; after it a message costs about { $after }.
summary-gone = There is nothing to sum up here: it was done already, the conversation was left, or it would save nothing any more.
button-summarize = Summarize for about { $amount }
button-not-now = Not now
summary-made = (That was the summary. From here on it is sent in place of everything said before it, which stays readable in /history.)
summary-unchanged = (The conversation is as it was; nothing was set aside.)
summary-empty = The model gave an empty summary.
summary-cut = (The summary reached its length limit, so a part of it is missing.)
summary-too-long = The conversation is longer than the model can read.
reply-saved = (The summary has saved about { $amount } so far, its own cost taken off.)
retry-running = The answer is still being written. /stop ends it, and /retry gives another one after that.
retry-nothing = There is no answer here that I could give again.
retry-which =
    Which model? Please send /retry with a part of its name that fits one only:
    { $models }
button-stop = Stop
button-stop-answer = Stop the answer
button-take-back = Take it back
take-back-begun = It is being answered by now. Stop ends the answer.
button-retry = Retry
button-answer-again = Again{ $price ->
    [known] , about { $amount }
   *[unknown] {""}
}
button-answer-again-with = With { $model }, about { $amount }
button-receipt = { $isEstimate ->
    [true] Cost about { $amount }
   *[false] Cost { $amount }
}
receipt-head = { $model }, { $at }
receipt-words = { $isWhole ->
    [true] Sent: { $tokens } tokens
   *[false] New words: { $tokens } tokens
}
receipt-history = Sent again of the conversation: { $tokens } tokens
receipt-answer = Answer: { $tokens } tokens
receipt-prices = Prices then, for a million tokens: { $prompt } in, { $completion } out
receipt-held = Held while it was written: { $amount }
receipt-charged = Charged: { $amount }{ $isEstimate ->
    [true] , an estimate: the service told no cost
   *[false] {""}
}
receipt-request = Request:
receipt-gone = There is no receipt: nothing was charged for this, or it was erased.
receipt-not-yours = Only who asked and admins may see this receipt.
receipt-sent = I have sent you the receipt in our private chat.
receipt-unsent = I cannot write to you in private. Open a chat with me, press Start, and tap here again.
button-answer = Answer it
button-decline = Leave it
button-fresh = New conversation with this message
button-shorten = Go on without the oldest part
button-rerun = Run again from here
held-late = This message came about { $age } ago, and I could not read it until now. Shall I still answer it?
held-conversation-too-long = This conversation has grown longer than the model can read at once. How shall I go on? What I leave out stays in the chat, but the model does not read it any more.
held-edited = You changed this message after it was answered. I can run it again from here: what came after it is set aside, and its cost stays.
held-price = With the file in it this message will cost about { $amount }, plus the answer. Shall I answer it?
held-declined = All right, this message stays unanswered.
age-hours = { $count ->
    [one] an hour
   *[other] { $count } hours
}
age-days = { $count ->
    [one] a day
   *[other] { $count } days
}
turn-not-yours = Only who asked, or an admin, can do this.
turn-gone = There is nothing left to do here: this was decided already, or the conversation went on in another way.
prompt-in-reply = In reply to this message:
prompt-unseen = ({ $kind ->
    [photo] A picture
    [video] A video
    [animation] An animation
    [audio] A recording
    [voice] A voice message
    [video_note] A video message
    [sticker] A sticker
   *[file] A file
} came with this, which you cannot see.)
prompt-unseen-answered = (This answers { $kind ->
    [photo] a picture
    [video] a video
    [animation] an animation
    [audio] a recording
    [voice] a voice message
    [video_note] a video message
    [sticker] a sticker
   *[file] a file
}, which you cannot see.)
prompt-file = File “{ $name }”:
prompt-known-file = (This is about the file “{ $name }” above.)
reply-maybe-double = (The connection failed, so this may stand above already.)
reply-insufficient-balance = The bot's account at the service has too little money for this answer. Please tell the admin.
reply-unauthorized = The service does not accept the bot's key. Please tell the admin.
reply-invalid-request = The service does not take this message as it is. Please shorten it, or choose another model with /model.
reply-rate-limited = Too many questions at once. Please try again in a minute.
reply-provider-rejected = The model's provider refused the request. Please try again, or choose another one with /model.
reply-service-unavailable = The service does not answer right now. Please try again in a minute.
reply-stream-broken = The connection to the model broke, so the rest is missing.
reply-outcome-unknown = The connection broke before an answer came, and I don't know whether the model wrote one. I did not ask a second time, so that it is not paid for twice.
reply-unexpected-answer = The service answered something that I cannot read.
reply-failed = Something went wrong here, and I could not answer. Please try again.
reply-charged = It cost { $amount }.
reply-charged-estimate = Noted as cost: about { $amount }.
reply-charged-nothing = Nothing was charged.
admin-insufficient-balance = For admins: the account at the service has too little money left, and questions go unanswered. /balance shows what there is. I will say so again in an hour at the earliest.
admin-unauthorized = For admins: the service has not accepted the bot's key for more than a minute, and questions go unanswered. I will say so again in an hour at the earliest.
admin-service-unavailable = For admins: the service has been away for more than a minute, and questions go unanswered. I will say so again in an hour at the earliest.
admin-storage-unavailable = For admins: a finished result cannot be stored, because the service's disk is full or cannot be written, or its bucket refuses. Results wait for room until their deadline and are refunded after it. The log has the cause. I will say so again in an hour at the earliest.
admin-order-written-off = For admins: the service charged for an order that did not arrive: it was not ready in time, could not be fetched, or the service knows it no longer. Its user got the price back, the service keeps it. The log names the order, /spend has the sum. I will say so again in an hour at the earliest.
admin-balance-low = For admins: { $balance } is left on the account at the service, less than { $limit }. I will say so again in an hour at the earliest, if more is spent. /alerts sets the amount.
admin-days-left-low =
    { $days ->
        [0] For admins: { $balance } is left on the account at the service. At the present pace, { $pace } a day, that is not enough for one day.
        [one] For admins: { $balance } is left on the account at the service. At the present pace, { $pace } a day, that is enough for { $days } day.
       *[other] For admins: { $balance } is left on the account at the service. At the present pace, { $pace } a day, that is enough for { $days } days.
    } I will say so again in an hour at the earliest, if more is spent. /alerts sets the days.
admin-unusual-spend =
    For admins: { $name } has spent { $today } today; { $usual } a day is usual. I will say so again in an hour at the earliest, if they go on.
    Telegram id { $id }

digest-day = Yesterday, { $day }: { $amount }
digest-month = This month: { $amount }
digest-failed = Failed orders yesterday: { $count }
digest-users = Top spenders, last 30 days:
digest-balance = Balance: { $balance }
digest-balance-days =
    Balance: { $balance }, enough for { $days ->
        [0] less than a day
        [one] { $days } day
       *[other] { $days } days
    } at the recent pace
digest-balance-year = Balance: { $balance }, enough for more than a year at the recent pace
digest-balance-unknown = The service isn’t telling its balance right now.

## Access

outsider = This bot is for a closed circle. If you should be in it, ask its admins to let you in.
access-ask = Ask for access
access-asked = Your request is with the admins. I will write to you when they have decided.
access-asked-already = You have asked already; the admins have not decided yet.
access-ask-later = The admins did not let you in. You may ask again after { $at }.
access-allowed = You have been let in. Write to me, and a language model answers; /help lists everything else.
access-refused = The admins did not let you in. You may ask again tomorrow.
access-inside = You are in already: just write to me.
access-request =
    { $name } asks to be let in.
    Telegram id { $id }, language { $language }
access-allow = Allow
access-refuse = Refuse
access-block = Block
access-decided-allowed = Allowed by { $admin }, { $at }
access-decided-refused = Refused by { $admin }, { $at }
access-decided-blocked = Blocked by { $admin }, { $at }
access-no-request = There is no such request any more.
access-list = Who may talk to me, and who may not (admins always may):
access-nobody = Nobody yet.
access-line = { $name }, { $id } — { $state ->
    [admin] admin
    [viewer] viewer
    [in] may talk to me
    [requested] asks to be let in
    [refused] refused
    [blocked] blocked
   *[out] outside
}
access-role = { $role ->
    [admin] An admin may do everything, and is told what only admins can mend.
    [viewer] A viewer sees what is spent, and changes nothing.
   *[none] No role: neither sees what others spend nor changes anything.
}
access-spend = Spend
role-make-admin = Make admin
role-make-viewer = Make viewer
role-take = Take the role away
role-now-admin = You are an admin of this bot now. /help lists what you can do.
role-now-viewer = You may see now what is spent: /spend, /balance. /help lists the rest.
role-now-none = You have no role here any more. Everything else stays as it was.
role-fixed = The settings (ADMIN_IDS) make this user an admin; I cannot change that.
role-blocked = Who is blocked can have no role. Let them in first.
role-last-admin = You are the last admin. Make another one first.
user-unknown = I know nobody of that name or id. Who never wrote to me is a stranger to me.
block-usage = /block @name or /block id blocks a user; /block @name off lets them in again.
block-done = { $name }, { $id }, is blocked and hears nothing from me. What waited was ended; what is paid for and being made still arrives.
block-off-done = { $name }, { $id }, is let in again.
block-not = { $name }, { $id }, is not blocked.
block-admin = Admins cannot be blocked. Take the role away first.
admins-only = Only admins may do that.
users-all = Everybody who has written to me, who was there last first:
users-found = Who matches “{ $search }”:
users-none = Nobody.
users-line = { $user }; last here: { $seen }; this month: { $month }
users-search-long = That is too long to search for. A part of the name, an @username or an id will do.
stats-none = none
stats-users = Users: { $all } in all, { $today } today, { $week } in the last seven days.
stats-turns = Turns of the last 24 hours: { $turns }.
stats-turn = { $state ->
    [waiting] waiting for the answer before
    [streaming] being answered
    [finished] finished
    [stopped] stopped
    [failed] failed
    [interrupted] interrupted
    [held] waiting for their user
   *[declined] declined
} { $count }
stats-orders =
    Orders under way: { $open }.
    Ended in the last 24 hours: { $ended }.
stats-order = { $state ->
    [waiting] waiting for their user’s other ones
    [placed] in the queue
    [submitted] going to the service
    [generating] being made
    [ready] on their way
    [delivered] delivered
    [cancelled] cancelled
   *[failed] failed
} { $count }
stats-oldest = The oldest one under way was placed { $minutes ->
    [one] { $minutes } minute
   *[other] { $minutes } minutes
} ago.
stats-errors = Errors of the last 24 hours:
stats-error = { $kind ->
    [chat] chats
    [video] clips
    [image] pictures
   *[sound] sounds
}: { $code } — { $count }
stats-queues = Waiting for the service now:
stats-queue = { $kind ->
    [chat] chats
    [video] clips
    [image] pictures
   *[sound] sounds
}: { $waiting } waiting, { $asked } asked{ $waiting ->
    [0] {""}
   *[other] , the first for { $minutes } min
}
viewers-only = Only admins, and those who may see what is spent, may do that.

## Language

language-choose = In which language shall I speak to you?
language-telegram = As in Telegram
language-chosen = From now on I speak English to you.

## Everything else in a chat

page-previous = « Back
page-next = More »
message-unread = I can’t read messages of this kind. Please write to me, or send me a file: text, PDF or Word (.docx).
unseen = { $kind ->
    [photo] I can’t see pictures. Write below one what you want to know, and I take your words as the question. To make a clip from it, answer it with /video and a few words about what should happen.
    [video] I can’t watch videos. Write below one what you want to know, and I take your words as the question.
    [animation] I can’t watch animations. Please tell me in words.
    [audio] I can’t listen to recordings. Write below one what you want to know, and I take your words as the question.
    [voice] I can’t listen to voice messages. Please write to me.
    [video_note] I can’t watch video messages. Please write to me.
    [sticker] I can’t see stickers. Please tell me in words.
   *[file] I can’t open files of this kind. I read text and code, PDF and Word (.docx).
}
file-nameless = without a name
file-unread = { $problem ->
    [too_large] “{ $name }” is larger than 20 MB, and Telegram gives me no larger file. Please send me a part of it.
    [too_long] “{ $name }” is too long: I read up to 500,000 characters in one message, about 250 pages. Please send me the part that matters.
    [too_heavy] “{ $name }” takes more time or memory to read than I may spend on it. Please send me its text in a simpler file.
    [encrypted] “{ $name }” is protected with a password. Please send it to me without one.
    [broken] I can’t read “{ $name }”: it is damaged, or not what its name says.
    [no_text] I found no text in “{ $name }”: it is empty, or its pages are pictures, which I can’t see.
   *[gone] Telegram does not give me “{ $name }” just now. Please send it once more.
} Nothing was charged.
prompt-missing = Yes? Please write your question after my name.
button-stale = This button no longer does anything.
command-private = This command works in our private chat only.

## The page of admins and viewers

dashboard-menu = Spend
dashboard =
    The page with spend, limits and access.

    The link to the browser signs you in once, within 5 minutes. Don't pass it on: it would sign in whoever opens it first.
dashboard-open-telegram = Open in Telegram
dashboard-open-browser = Open in the browser
dashboard-browser =
    The page with spend, limits and access:
    { $link }

    The link signs you in once, within 5 minutes. Don't pass it on: it would sign in whoever opens it first. To open the page inside Telegram, set PUBLIC_URL to an https address.
dashboard-here =
    The page with spend, limits and access, on the machine where I run:
    { $link }

    The link signs you in once, within 5 minutes. To open the page from elsewhere, or inside Telegram, set PUBLIC_URL to an https address that leads to me.

## Drafts

drafts-choose =
    { $chosen ->
        [on] Drafts are on now.
       *[off] Drafts are off now.
    }

    /drafts on — in our private chat answers grow in a draft, smoothly, and become a message when they are whole.
    /drafts off — answers grow in their message.
drafts-on = Answers now grow in a draft, where your Telegram app shows drafts.
drafts-off = Answers now grow in their message.
