## Commands and how they are described in the menu

command-help = what I can do
command-start = greeting with examples
command-new = new conversation
command-model = choose the model
command-system = instruction for the model
command-chats = earlier conversations
command-history = read this conversation again
command-export = get this conversation as a file
command-forget = delete what I keep about you
command-costnote = when answers show their cost
command-admin = alerts and rules for orders
command-stop = stop the answer
command-retry = answer my last message again
command-usage = what you have spent
command-settings = instruction, language, costs
command-video = make a video
command-image = make an image
command-sound = make a sound
command-orders = your { $kinds }
command-balance = what is left to spend
command-spend = spend by user
command-users = users and their access
command-stats = users, answers, orders, queues
command-dashboard = spend and limits on a page
command-limit = spend limits
command-allow = give a user access
command-block = block a user
command-role = make a user admin or viewer
command-language = my language
command-format = how answers look

## What Telegram shows of the bot before anybody writes to it

bot-name = Kopeck
bot-short_description = { $everything } in one chat. Every kopeck accounted for.
bot-description = Write anything, and a language model answers. Send a file and ask about it, or reply to any message to ask about just that.
bot-description-media = I also make { $kinds }.
bot-description-cost = /usage shows what you have spent. In a group, mention me.

## What the service sells

chat-kind = Language models
media-kind = { $kind ->
    [video] videos
    [image] images
   *[sound] sounds
}

## Greeting and help

start = Hello, { $name }! Write anything, and a language model answers. I remember the conversation until you start a new one with /new.
start-model = { $model } answers here; to change it: /model.
start-price = { $model } answers here; to change it: /model. A short question with its answer: { $amount }.
start-media = I can also make { $kinds }: send { $commands } and a few words about what you want.
start-help = For everything else: /help.
start-examples = For everything else: /help. Or tap an example:
example-1 = Explain inflation to a ten-year-old
example-2 = Plan a weekend in Kazan
example-3 = Write a polite reply to a complaint
example-asked = You ask: { $question }
example-again = You’ve already asked this: the answer is below. To ask again, write it yourself.
help = { $place ->
    [group] Mention me or reply to me, and the model answers.
   *[private] Write anything, and the model answers.
} It remembers the conversation until /new.
help-hints =
    • Reply to a message, or quote a part of it, to ask about just that.
    • Edit a question that was answered, and a button lets me answer it again from there.
    • Send a text file, a PDF or a Word document, with your question in the caption.
    • In a group, mention me or reply to me: I answer below the question, and it counts towards the spend of whoever asked.
    • In a chat with topics, every topic is a conversation of its own.
help-others = These work, too:
help-role = { $role ->
    [admin] For admins:
   *[viewer] Spend:
}
unknown-command = I don’t know this command. For the list: /help
service-unavailable = There’s no answer right now. Try again in a minute.
service-misconfigured = I’m not set up right, so I can’t answer. The bot’s admins know.

new-conversation = New conversation.
new-conversation-kept = New conversation. “{ $title }” is kept.
new-conversation-instructed = Your instruction stays: /system
new-conversation-running = The answer being written stays in the earlier conversation, and so do the questions waiting for it.

stop-done = Stopped.
stop-nothing = Nothing is being written right now.
# What a message says that means only this, separated by commas.
stop-words = stop, stop it, stop please, please stop

## Choosing a model

model-choose = Which model should answer here?
model-line = { $model } · { $amount } a message
model-estimates = Estimated for a short question with its answer.
model-none = There are no models right now. Try again later.
model-chosen = From the next message on, { $model } answers.
model-unclear = “{ $typed }” doesn’t name one model.
model-gone = This model is no longer available. Choose another one.

## The conversation

system-is = In this chat the model follows this instruction (to change it: `/system New text`):
system-none = In this chat the model follows no instruction. Tap one, or write your own: `/system Answer in verse`
system-example-1 = Answer in short sentences
system-example-2 = Explain it in simple words
system-set = In this chat the model now follows this instruction, until you change it.
system-removed = Instruction removed.
system-remove = Remove instruction
system-too-long = The instruction has { $length } characters; the most is { $limit }. Shorten it.
chats-title = Your conversations here, newest first. Tap one to go back to it.
chats-found = Conversations with “{ $words }”. Tap one to go back to it.
chats-found-more = There are more: add a word to narrow the search.
chats-line =
    { $number }. { $title }
    { $cost } · { $at }{ $current ->
        [true] {""} · you are here
       *[false] {""}
    }
chats-topics = Each topic here has its own conversations.
chats-none = No conversations yet. Write anything to start one.
chats-not-found = Nothing found for “{ $words }”. For all conversations: /chats
chats-gone = This conversation no longer exists.
chat-entered = You are back in “{ $title }”. Write to go on, or read it again: /history
button-chat-back = « Back to “{ $title }”
button-chats = « All conversations
history-empty = This conversation is still empty.
history-gone = There is nothing to read here any more.
history-older = « Earlier
history-newer = Later »
history-summary = summary
history-set-aside = no longer counts
export-title = As it was on { $at }
export-instruction = Instruction
export-tokens = { $promptTokens } + { $completionTokens } tokens
export-usage = To get this conversation as a file: /export for Markdown, `/export json` for JSON
export-too-large = This conversation is larger than 50 MB, the most I can send to Telegram.

forget-ask =
    Delete everything I keep about you?

    Deleted for good: the conversations in our private chat, what you asked in groups and the answers to it, the descriptions in your orders, your name, language and model. Answers being written are stopped.

    Kept: your Telegram id, the dates and amounts of your charges, not what they were for, and what the admins decided about your access. The messages in Telegram stay until you delete them there, and I can’t delete what was sent on to be answered or made.
forget-erase = Delete
forget-keep = Keep
forget-running = Deleting. Answers being written are stopped first.
forget-done = Everything I kept about you is deleted. From here on we start afresh.
forget-kept = Nothing was deleted.
forget-order = One of your orders is still being made, so nothing was deleted. Send /forget again when it’s ready.
forget-answer = An answer that you stopped is still being paid for, so nothing was deleted. Send /forget again in a few minutes.

## Spending

usage =
    { $whose ->
        [group] This group’s spend
       *[user] Your spend
    }
    Today: { $today }
    In total: { $total }
    This month: { $month }
usage-own = For your own spend, send /usage in our private chat.
usage-size = This conversation is about { $tokens } tokens long.
usage-size-share =
    This conversation is about { $tokens } tokens long, { $percent ->
        [0] less than 1%
       *[other] { $percent }%
    } of what { $model } can read at once.
usage-next = The next message here: { $amount } + the answer.
costnote-is = { $note ->
    [always] Every answer says what it cost and what the next message will cost.
    [off] Answers don’t say what anything costs.
   *[from] An answer says what it cost and what the next message will cost, each if it is { $amount } or more.
}
costnote-whose = { $whose ->
    [own] This is your own choice.
   *[default] This is the default.
}
costnote-change = Another amount: `/costnote from 2.50`
costnote-choice = { $note ->
    [always] Always
    [off] Never
   *[from] From { $amount }
}
costnote-default = As for everyone
chart-own = Your spend, last 30 days
chart-all = All spend, last 30 days
chart-empty = No spend
costnote-usage = Send `/costnote always`, `/costnote off` or an amount in roubles, such as `/costnote from 2.50`
admin-settings = Settings of alerts, orders and answers:
admin-setting = { $name } — { $label }: { $value }
admin-usage = To change one: `/admin days 5`. Some can be turned off: `/admin days off`
balance = The bot’s account at the service has { $balance } left.
balance-days = { $days ->
    [0] less than a day
    [one] { $days } day
   *[other] { $days } days
}
balance-pace = At the recent pace, about { $pace } a day, it will last { balance-days }.
balance-month = Spent this month: { $spent }.
balance-limit = { $amount } is left of the month’s limit for everybody, { $limit }.
balance-no-limit = Everybody together may spend without a limit. An admin can set one: `/limit all 5000 month`
balance-no-pace = Nothing was spent in the last 7 days.
balance-check =
    Since { $from } the balance went down by { $moved }, and users were charged { $charged }.
    Difference: { $difference }.
balance-unsettled = Some requests are in progress or have only just ended, so the difference may still change.
spend-none = Nobody spent anything in this period.
spend-nobody = Nobody matches “{ $search }”. Try part of a name, an @username or an id.
spend-kind = { $kind ->
    [answer] answers
    [retry] retries
    [summary] summaries
    [video] videos
    [image] images
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
spend-estimated = Of this, { $amount } is an estimate: what it really cost isn’t known.
spend-history = Of this, { $amount } ({ $percent ->
    [0] less than 1%
   *[other] { $percent }%
}) went on re-sent history: with every message the model reads the whole conversation again. /new starts a short one.
spend-written-off = On top of this, { $amount } is written off: the service kept it, and no user pays for it.
spend-found = { $count } users match “{ $search }”. Send /spend with an id:
spend-orders = Last orders
spend-file-button = All charges as a file
spend-picture-button = Chart
spend-picture-failed = I couldn’t draw the chart. Try again.
spend-file-comes = The file is on its way.
spend-csv-too-large = There are too many charges for one file. Choose a shorter period, or open /dashboard.
spend-csv-usage = Choose a period: `/spend csv today`, `/spend csv 7d`, `/spend csv 30d`, `/spend csv month` or `/spend csv all`

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
limit-whose = { $whose ->
    [group] this group’s limit
    [everybody] everybody’s shared limit
   *[user] your limit
}
limit-reached =
    When you asked, { $left } of { limit-whose } of { $limit } was left{ $isMore ->
        [true] {""}, with { $reserved } in progress
       *[false] {""}
    }{ $isPriced ->
        [true] {""}, and this needs { $needed }
       *[false] {""}
    }. Nothing was charged.
    { $period ->
        [all] Only an admin can raise it.
       *[other] It resets on { $at }.
    }
limit-cut =
    (The answer is cut short: { limit-whose } of { $limit } leaves no room for more.{ $period ->
        [all] {""}
       *[other] {" "}It resets on { $at }.
    })
button-ask-more = Ask for a higher limit
limit-request =
    { $name }, { $id }, asks for a higher limit.
    { $whose ->
        [group] The limit of the group { $subject }
        [everybody] The limit for everybody together
       *[user] Their limit
    }: { $limit }. Left of it: { $left }{ $isPriced ->
        [true] , this needs { $needed }
       *[false] {""}
    }.
limit-verb = { $verb ->
    [half] +50%: { $amount }
    [double] ×2: { $amount }
   *[refused] Decline
}
limit-answer = { $decision ->
   *[raised] An admin raised { limit-whose } to { $limit }.
    [refused] The admins declined to raise { limit-whose }.
}
limit-asked-refused = The admins declined this request. You can ask again a day later.
limit-has-room = There is room in this limit now. Try again.
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
    Everybody together: { $everybody }

    Default limits:
    for a user: { $users }
    for a group: { $groups }
    Admins have no default limit.
limit-usage =
    One user’s or group’s limit: `/limit @name 500 month`
    Everybody together, admins too: `/limit all 3000 month`
    Instead of a name an id works; instead of the amount, none (no limit) or default. Periods: day, week, month, all.
limit-of = { $whose ->
    [group] Limits of the group { $id }:
    [everybody] Limits for everybody together:
   *[user] Limits of { $name } ({ $id }):
}
limit-line = { $limit } ({ $origin ->
    [own] own
    [set] set by an admin
    [settings] BUDGET_RUB
   *[default] default
})
limit-spent = spent { $spent }, in progress { $reserved }, left { $left }
limit-who-unknown = I know no user or group “{ $who }”. A limit can be set for those who have written to me: see /users
limit-who-ambiguous = “{ $who }” has been the name of several users. Use the id from /users.
limit-period-unknown = Add a period: day, week, month or all, such as `/limit @name 500 month`

## Videos

order-summary = { $kind ->
    [image] image, { $options }
    [sound] sound, { $options }
   *[video] { $options }
}
picture-no-public-url = I can’t hand pictures on from here, so I make videos from words only. An admin can change it: this bot needs a public address.
picture-too-large = This picture is too large: more than 20 MB, or than 8000 pixels a side. Send it as a photo, and Telegram will make it smaller.
picture-too-small = This picture is too small for a video: each side needs at least 200 pixels. Send a larger one.
picture-wrong-shape = This picture is too long and narrow for a video: the longer side may be at most three times the shorter one. Crop it and send it again.
picture-not-a-picture = I can make a video from a photo only: JPEG, PNG or WebP. Send the picture as a photo.
picture-one-of-several = These are several photos, and a video is made from one. Send that one alone, or reply to it with /video.
picture-gone = I couldn’t get this picture from Telegram. Send it again.
price-unknown = no price set
order-waiting =
    { $summary } — { $price }
    Waiting until one of your other orders is done.
order-placed =
    { $summary } — { $price }
    Accepted, on its way to be made.
order-in-line =
    { $summary } — { $price }
    { $position ->
        [1] You’re next in the queue
       *[other] Place in the queue: { $position }
    }, about { $wait }. Only a few orders a minute can be taken.
order-service-away =
    { $summary } — { $price }
    Nothing can be made right now. Your order is kept and goes out as soon as it can; nothing is charged until then.
order-generating =
    { $summary } — { $price }
    { $kind ->
        [video] The video is being made. This usually takes 5–15 minutes; I’ll write when it’s ready.
        [image] The image is being made. This takes a moment.
       *[sound] The sound is being made. This takes a moment.
    }
order-ready =
    { $summary } — { $price }
    Ready, on its way to you.
order-delivered =
    { $summary } — { $price }
    { $kind ->
        [video] Done. The video is below.
        [image] Done. The image is below.
       *[sound] Done. The sound is below.
    }
order-failed =
    { $summary }
    { $reason }
order-cancelled =
    { $summary }
    Cancelled. Nothing was charged.
button-cancel = Cancel
cancel-done = Cancelled. Nothing was charged.
cancel-too-late = It’s too late to cancel: the order is being made, or it has ended.
result-ready =
    { $count ->
        [one] { $kind ->
            [video] Your video is ready.
            [image] Your image is ready.
           *[sound] Your sound is ready.
        }
       *[other] { $kind ->
            [video] Your { $count } videos are ready.
            [image] Your { $count } images are ready.
           *[sound] Your { $count } sounds are ready.
        }
    }
result-below =
    { $kind ->
        [video] Your { $count } videos:
        [image] Your { $count } images:
       *[sound] Your { $count } sounds:
    }
result-link =
    { $count ->
        [one] { $kind ->
            [video] Your video is ready, but it’s too large to send here. Download it:
            [image] Your image is ready, but it’s too large to send here. Download it:
           *[sound] Your sound is ready, but it’s too large to send here. Download it:
        }
       *[other] { $kind ->
            [video] Your { $count } videos are ready, but they’re too large to send here. Download them:
            [image] Your { $count } images are ready, but they’re too large to send here. Download them:
           *[sound] Your { $count } sounds are ready, but they’re too large to send here. Download them:
        }
    }
    { $links }
result-maybe-shown =
    The connection broke while I was sending your { $kind ->
        [video] { $count } videos
        [image] { $count } images
       *[sound] { $count } sounds
    }, so I don’t know whether they arrived. I didn’t send them a second time. { $isLinked ->
        [true] They are here as well:
       *[false] If they’re missing, /orders sends them again.
    }
    { $links }
media-refused-unknown = Nothing of this kind can be made here. Nothing was ordered or charged.
result-gone =
    I can’t get { $kind ->
        [video] this video
        [image] this image
       *[sound] this sound
    } right now, and Telegram no longer keeps it for me. Try again later.
order-refused-balance = The bot’s account has too little money for this order. Nothing was charged. Ask an admin to top it up.
order-refused-request = This description isn’t accepted. Nothing was charged. Try other words.
order-refused-request-why =
    This order isn’t accepted. Nothing was charged. The reason given:
    { $reason }
order-refused-provider = This order couldn’t be started. Nothing was charged. Try again, perhaps in other words.
order-refused-unavailable = Nothing could be made for too long, so your order wasn’t started. Nothing was charged. Try again later.
task-failed =
    { $kind ->
        [video] The video
        [image] The image
       *[sound] The sound
    } couldn’t be made. You don’t pay for it ({ $price }).
task-failed-why =
    { $kind ->
        [video] The video
        [image] The image
       *[sound] The sound
    } couldn’t be made. You don’t pay for it ({ $price }). The reason given:
    { $reason }
order-outcome-unknown =
    The connection broke while I was placing your order, so I don’t know whether it’s being made. I didn’t place it again, so it isn’t paid for twice. { $price } is in your spend as an estimate; an admin can check it.
order-overdue = Your order took far too long, so I stopped waiting. You don’t pay for it ({ $price }).
order-lost = This order was lost before it was done. You don’t pay for it ({ $price }).
order-undeliverable =
    { $kind ->
        [video] The video was made
        [image] The image was made
       *[sound] The sound was made
    }, but I couldn’t fetch it. You don’t pay for it ({ $price }).
order-chat-away =
    { $kind ->
        [video] The video was made
        [image] The image was made
       *[sound] The sound was made
    }, but I couldn’t write to this chat for a month. { $price } stays in your spend.
order-chat-away-early = I couldn’t write to this chat, so I didn’t place the order. Nothing was charged.

## Cards

option-duration = { $seconds } s
option-shape = { $shape ->
    [square] square
    [portrait] vertical
   *[landscape] horizontal
}
item-made = { $kind ->
    [video] video { $options }
    [image] image
   *[sound] sound
}
option-from-picture = from a picture
media-too-long = The description has { $length } characters; the most is { $limit }. Shorten it.
media-not-sold = I don’t make { $kind ->
    [image] images
    [sound] sounds
   *[video] videos
}{ $offered ->
    [none] : write anything, and a language model answers.
   *[some] , but I make { $kinds }: { $commands }
}
media-no-price = No price is set for this, so only admins can order it.
media-not-offered = I can’t make this right now. See what I can make: /{ $kind }
picture-video-only = { $hasVideo ->
    [true] Only a video can be made from a picture: send the picture with /video, or reply to it with /video.
   *[false] I can’t make anything from a picture. Describe in words what you want: /{ $kind }
}
card-words =
    { $kind ->
        [image] An image
        [sound] A sound
       *[video] A video
    }: { $summary } — { $price }

    Reply to this message with what should { $kind ->
        [image] be in the image, such as “a fox in the snow, watercolour”,
        [sound] be heard, such as “rain on a tin roof”,
       *[video] { $motion ->
            [true] happen in the picture, such as “the camera moves slowly closer”,
           *[false] be seen, such as “a fox runs through the snow”,
        }
    } and it’s ordered. What you choose below is kept for the next time.
card-confirmation =
    { $kind ->
        [image] An image
        [sound] A sound
       *[video] A video
    }: { $summary } — { $price }

    Order it?
card-dropped = Not ordered. Nothing was charged.
card-order = Order for { $price }
card-order-unknown = Order without a price
card-drop = Don’t order
card-price-changed = The price has changed since you saw it.
card-second = You ordered something less than a minute ago.
card-own-shape = A video from a picture keeps the picture’s shape.
card-unclear = “{ $written }” { $count ->
    [one] stays
   *[other] stay
} in the description. Check the options below.
card-no-pair = 1080p doesn’t go with 10 s.
card-not-yours = This card is somebody else’s. Get your own: /{ $kind }
card-ordered-already = Already ordered.
card-use-buttons = Answer with the buttons below the card.

## Orders

orders-title = Your orders, newest first:
orders-none = No orders yet.{ $offered ->
    [none] {""}
   *[some] {" "}To make { $kinds }: { $commands }
}
order-state = { $state ->
    [waiting] waiting for your other orders
    [placed] in the queue
    [submitted] on its way to be made
    [generating] being made
    [ready] on its way to you
    [delivered] done
    [cancelled] cancelled
   *[failed] failed
}
orders-line =
    { $number }. { $words }
    { $summary } — { order-state }, { $price }
orders-one =
    { $summary }
    { order-state }, { $price }
    { $at }
orders-free = nothing charged
orders-not-yours = This list is somebody else’s. For yours: /orders
button-orders = « All orders
button-send-again = Send again
button-again = Again
button-animate = Animate

## Answers

reply-empty = The model gave an empty answer. Try other words.
reply-cut = (The answer reached its length limit. Write “go on” for the rest.)
reply-all-thinking = The model used all its tokens for thinking and wrote no answer. Ask for something smaller, answer again, or choose another model.
reply-filtered = (The provider’s content filter cut the answer off here. Other words or another model may get the rest.)
reply-filtered-whole = The provider’s content filter let no answer through. Try other words, or another model.
reply-refused = (The model refused to answer. Other words or another model may help.)
reply-unseen = { $kind ->
    [photo] (I can’t see pictures; I took your caption as the question.)
    [video] (I can’t watch videos; I took your caption as the question.)
    [animation] (I can’t watch animations; I took your caption as the question.)
    [audio] (I can’t listen to recordings; I took your caption as the question.)
    [voice] (I can’t listen to voice messages; I took your caption as the question.)
   *[file] (I can’t open files of this kind; I took your caption as the question.)
}
reply-stopped = (Stopped.)
reply-stopped-charged = (Stopped. The whole answer is charged: { $amount }.)
reply-stopped-shown = (Stopped. You pay for what you see: { $amount }.)
reply-stopped-in-queue = (Stopped before the model was asked. Nothing was charged.)
reply-waits = { $count ->
    [1] I’ll answer this after the question before it.
   *[other] I’ll answer this after the { $count } questions before it.
}
reply-begins = Answering…
reply-thinks = Thinking, { $seconds } s…
reply-queued =
    There are many questions right now.
    { $position ->
        [1] You’re next in the queue
       *[other] Your place in the queue: { $position }
    }, about { $wait }. To leave it: /stop
wait-seconds = { $count } s
wait-minutes = { $count } min
reply-interrupted = (I was restarted while writing this, so the rest is missing. Press Retry to get a whole answer.)
reply-message-too-long = This message alone is longer than the model can read. Shorten it, or choose a model with a larger context: /model
reply-next-cost = (Next: { $amount } + answer)
summary-offer = Each message here costs about { $before } before its answer, because the whole history is sent again. A summary by { $model } costs about { $once } once, and each message after it about { $after }. Details may be lost; /history keeps everything.
summary-gone = There is nothing to summarize here any more: it was done already, you left the conversation, or it would save nothing.
summary-dearer = The conversation has grown, and the summary costs more now. The message shows the new price.
button-summarize = Summarize for about { $amount }
button-not-now = Not now
summary-made = (That was the summary, written by { $model }{ $price ->
    [paid] {" "}for { $amount }
   *[free] {""}
}. From now on it is sent instead of everything before it, so details may be lost; you can still read them in /history.)
summary-unchanged = (The conversation stays as it was.)
summary-cut = (The summary reached its length limit, so a part of it is missing.)
summary-too-long = The conversation is longer than the model can read. Choose a model with a larger context: /model
retry-running = This answer is still being written. /stop stops it; then /retry gives you another one.
retry-nothing = There is no answer here to repeat.
retry-which =
    Which model? Tap to copy, then send; a part of the name is enough:
    { $commands }
button-stop = Stop
button-stop-answer = Stop the answer
button-take-back = Take back
button-retry = Retry
button-answer-again = ↻ Again { $amount }
button-receipt = Receipt: { $amount }
receipt-head = { $model }, { $at }
receipt-prompt = Sent, { $tokens ->
    [one] { $tokens } token
   *[other] { $tokens } tokens
}
receipt-history = History, { $messages ->
    [one] { $messages } message
   *[other] { $messages } messages
}
receipt-answer = Answer, { $tokens ->
    [one] { $tokens } token
   *[other] { $tokens } tokens
}
receipt-charged = Charged: { $amount }{ $isEstimate ->
    [true] , an estimate: what it really cost isn’t known
   *[false] {""}
}
receipt-request = Request:
receipt-gone = There is no receipt: nothing was charged for this, or it was deleted.
receipt-not-yours = Only the person who asked, or an admin, can see this receipt.
receipt-sent = I’ve sent the receipt to our private chat.
receipt-unsent = I can’t write to you yet. Open a chat with me, press Start, then tap here again.
button-answer = Answer
button-decline = Don’t answer
button-fresh = New conversation with this message
button-shorten = Go on without the oldest messages
button-rerun = Answer again from here
held-late = This message came about { $age } ago, and I couldn’t read it until now. Should I still answer it?
held-conversation-too-long = This conversation has grown longer than the model can read at once. How should we go on? What I leave out stays in the chat, but the model won’t read it any more.
held-edited = You edited this message after it was answered. I can answer it again from here: later messages no longer count then, but what they cost stays in your spend.
held-price = With this file, the message will cost about { $amount }, plus the answer. Should I answer it?
held-declined = OK, I won’t answer this message.
age-hours = { $count ->
    [one] an hour
   *[other] { $count } hours
}
age-days = { $count ->
    [one] a day
   *[other] { $count } days
}
turn-not-yours = Only the person who asked, or an admin, can do this.
turn-gone = This was decided already, or the conversation has moved on.
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
reply-maybe-double = (The connection broke, so this may already stand above.)
reply-insufficient-balance = The bot’s account has too little money for this answer. Ask an admin to top it up.
reply-unauthorized = I’m not set up right, so I can’t answer. The bot’s admins know.
reply-model-misconfigured = This model isn’t set up right, so it can’t answer. The bot’s admins know.
reply-invalid-request = This message isn’t accepted. Shorten it, or choose another model: /model
reply-rate-limited = There are too many questions right now. Try again in a minute.
reply-provider-rejected = The model’s provider refused this request. Try again, or choose another model: /model
reply-service-unavailable = The model isn’t answering right now. Try again in a minute.
reply-stream-broken = The connection to the model broke, so the rest is missing.
reply-outcome-unknown = The connection broke before an answer came, and I don’t know whether the model wrote one.
reply-unexpected-answer = Something came back that I can’t read. Try again, or tell an admin.
reply-failed = Something went wrong, and I couldn’t answer. Try again.
reply-charged-shown = You pay for what you see: { $amount }.
reply-charged-nothing = Nothing was charged.
admin-insufficient-balance = For admins: the bot’s account at the service has too little money, and questions go unanswered. /balance shows what is left; if it is enough, the bot’s key has reached a spend limit of its own. I won’t repeat this for an hour.
admin-unauthorized = For admins: the service doesn’t accept the bot’s key, or has frozen its account, and questions go unanswered. Check SERVICE_API_KEY. I won’t repeat this for an hour.
admin-model-misconfigured = For admins: the service says that the model { $model } isn’t set up right there, and questions to it go unanswered. Its operator finds the reason in its log: a key, money, rights or a name at an upstream. Nothing was charged. I won’t repeat this for an hour.
admin-service-unavailable = For admins: the service doesn’t answer, and questions go unanswered. If that lasts: does it run, and is SERVICE_URL right? I won’t repeat this for an hour.
admin-not-this-service = For admins: what answers at SERVICE_URL is no service that I can talk to, and questions go unanswered. Check the address; for an API like OpenAI’s set OPENAI_BASE_URL and OPENAI_API_KEY instead of SERVICE_URL and SERVICE_API_KEY. I won’t repeat this for an hour.
admin-storage-unavailable = For admins: the service can’t store a finished result: its disk is full, down to its last gigabyte or read-only. Results wait until their deadline, then the money goes back to the account. The log has the cause. I won’t repeat this for an hour.
admin-price-kept =
    For admins: { $model } still sells at ${ $old } (dollars per 1 million tokens in/out). { $reason ->
        [missing] { $upstream } gives no valid price for it now.
       *[high] { $upstream } now asks ${ $next }, with a part more than three times as high.
    } Check its price there and set OPENAI_PRICES.
admin-cost-differs = For admins: in the last day { $model } was charged { $charged }, and its provider reports { $reported }. Check its prices in SERVICE_CONFIG or OPENAI_PRICES.
admin-provider-refused =
    For admins: { $upstream } refuses { $kind ->
        [order] every order at { $work }
        [list] to list its models
       *[chat] to answer as { $work }
    }{ $answer ->
        [status] , with status { $status }
       *[event] {""}
    }. { $words ->
        [some] It said: “{ $said }”
       *[none] It gave no reason.
    }
    { $cause ->
        [key] Its key is wrong or no longer valid: set the right one where SERVICE_CONFIG or OPENAI_API_KEY names it, and start again.
        [money] There’s no money left there: top up the account at the upstream; nothing needs to change here.
        [rights] The key has no right to this there: give it the right, or use another key or model.
        [address] Nobody answers there as OpenAI’s API does: check OPENAI_BASE_URL, and whether the upstream runs.
       *[name] Check the model’s name and the address: in SERVICE_CONFIG, or OPENAI_MODELS and OPENAI_BASE_URL.
    } { $kind ->
        [order] Orders fail until then, and their money goes back.
        [list] It’s asked again every 30 seconds; until then users read that the bot isn’t set up right, or that a model isn’t.
       *[chat] Until then, where no other upstream answers, users read that the model isn’t set up right; nothing is charged.
    } I won’t repeat this for an hour, unless it works in between.
admin-order-written-off = For admins: the service charged for an order that didn’t arrive: it wasn’t ready in time, couldn’t be downloaded, or the service no longer knows it. Its user doesn’t pay for it: it is written off. The log names the order, /spend has the sum. I won’t repeat this for an hour.
admin-limit-near = For admins: everybody together has spent { $spent } of { $limit }: { $left } is left.{ $period ->
        [all] {""}
       *[other] {" "}The limit resets on { $at }.
    } To change it: /limit
admin-limit-reached = For admins: the limit for everybody together, { $limit }, is reached. { $left } is left, and what needs more is refused.{ $period ->
        [all] {""}
       *[other] {" "}The limit resets on { $at }.
    } To change it: /limit
admin-balance-low = For admins: the bot’s account at the service has { $balance } left, less than { $limit }. I won’t repeat this for a day. To change the amount: /admin
admin-days-left-low =
    For admins: the bot’s account at the service has { $balance } left. At the recent pace, { $pace } a day, it will last { balance-days }. I won’t repeat this for a day. To change the number of days: /admin

digest-day = Yesterday, { $day }: { $amount }
digest-month = This month: { $amount }
digest-failed = Failed orders yesterday: { $count }
digest-users = Top spenders, last 30 days:
digest-limit = Left of this month’s limit for everybody: { $left } of { $limit }
digest-balance = Balance: { $balance }
digest-balance-days =
    Balance: { $balance }, enough for { balance-days } at the recent pace
digest-balance-year = Balance: { $balance }, enough for more than a year at the recent pace
digest-balance-unknown = The service isn’t telling its balance right now.

## Access

outsider = This bot is private. You can ask its admins for access.
access-ask = Ask for access
access-ask-later = The admins declined your request. You can ask again after { $at }.
access-allowed = You have access now. Write anything, and a language model answers. For everything else: /help
access-refused = The admins declined your request. You can ask again tomorrow.
access-inside = You already have access: just write to me.
access-request =
    { $name } asks for access.
    Telegram id `{ $id }`, language { $language }
access-decide = { $decision ->
    [allowed] Allow
    [blocked] Block
   *[refused] Decline
}
request-sent = Request sent. I’ll write when the admins have decided.
request-open = The admins already have this request and haven’t decided yet.
request-decided = { $decision ->
    [allowed] Allowed
    [blocked] Blocked
    [refused] Declined
   *[raised] Raised to { $limit }
}: { $admin }, { $at }
request-gone = This request no longer exists.
access-usage = To change it: `/allow @name`, `/block @name`, `/role @name viewer`
access-line = { $name }, `{ $id }` — { $state ->
    [admin] admin
    [viewer] viewer
    [in] has access
    [requested] asks for access
    [refused] declined
    [blocked] blocked
   *[out] no access
}
role-now-admin = You’re an admin of this bot now. See what you can do: /help
role-now-viewer = You’re a viewer of this bot now: /spend and /balance show what is spent. For the rest: /help
role-now-none = You no longer have a role here. Everything else stays as it was.
role-usage = To change a role: `/role @name admin`, `/role @name viewer` or `/role @name user`. An id works instead of a name. An admin can change everything and gets alerts; a viewer sees everyone’s spend.
role-fixed = The role is set in ADMIN_IDS and can’t be changed here.
role-blocked = A blocked user can’t have a role. Unblock them first.
role-last-admin = You’re the last admin. Make somebody else an admin first.
user-unknown = I know nobody with this name or id: I only know users who have written to me. See /users
allow-usage = To give a user access: `/allow @name`. An id works instead of a name.
allow-done = { $name }, { $id }, has access.
block-usage = To block a user: `/block @name`. An id works instead of a name. To unblock: `/allow @name`
block-done = { $name }, { $id }, is blocked and gets no more answers. What was waiting is cancelled; what is paid for and being made still arrives.
block-admin = Admins can’t be blocked. Remove the role first.
admins-only = Only admins can do this.
users-all = Everybody who has written to me, most recent first:
users-found = Matches for “{ $search }”:
users-more = These are the first { $count }. All of them are on the page: /dashboard
users-none = Nobody.
users-line = { $user }; last here: { $seen }; this month: { $month }
stats-none = none
stats-users = Users: { $all } in total, { $day } in the last 24 hours, { $week } in the last 7 days.
stats-turns = Answers in the last 24 hours: { $turns }.
stats-turn = { $state ->
    [waiting] waiting for the answer before
    [streaming] being written
    [finished] finished
    [stopped] stopped
    [failed] failed
    [interrupted] interrupted
    [held] waiting for the user’s decision
   *[declined] declined by the user
} { $count }
stats-orders =
    Orders in progress: { $open }.
    Ended in the last 24 hours: { $ended }.
stats-order = { $state ->
    [waiting] waiting for the user’s other orders
    [placed] in the queue
    [submitted] on their way to the service
    [generating] being made
    [ready] on their way to the user
    [delivered] delivered
    [cancelled] cancelled
   *[failed] failed
} { $count }
viewers-only = Only admins and viewers can do this.

## Language

language-choose = Which language should I speak?
language-telegram = As in Telegram
language-chosen = I’ll speak English from now on.

## Everything else in a chat

page-previous = « Back
page-next = More »
message-unread = I can’t read messages of this kind. Write to me, or send a file: text, PDF or Word (.docx).
unseen = { $kind ->
    [photo] I can’t see pictures. Ask about one in its caption, and I’ll answer the caption.{ $hasVideo ->
        [true] {" "}To make a video from it, reply to it with /video and a few words about what should happen.
       *[false] {""}
    }
    [video] I can’t watch videos. Ask about one in its caption, and I’ll answer the caption.
    [animation] I can’t watch animations. Tell me in words.
    [audio] I can’t listen to recordings. Ask about one in its caption, and I’ll answer the caption.
    [voice] I can’t listen to voice messages. Write to me instead.
    [video_note] I can’t watch video messages. Write to me instead.
    [sticker] I can’t see stickers. Tell me in words.
   *[file] I can’t open files of this kind. I read text and code, PDF and Word (.docx).
}
file-nameless = without a name
file-unread = { $problem ->
    [too_large] “{ $name }” is larger than 20 MB, the most Telegram lets me download. Send me a part of it.
    [too_long] “{ $name }” is too long: I read up to 500,000 characters in one message, about 250 pages. Send me the part that matters.
    [too_heavy] “{ $name }” takes too much time or memory to read. Send me its text in a simpler file.
    [encrypted] “{ $name }” is protected with a password. Send it without one.
    [broken] I can’t read “{ $name }”: it’s damaged, or not what its name says. Save it again and send it.
    [no_text] I found no text in “{ $name }”: it’s empty, or its pages are pictures, which I can’t see. Send me its text.
   *[gone] I couldn’t get “{ $name }” from Telegram. Send it again.
} Nothing was charged.
prompt-missing = Yes? Write your question after my name.
button-stale = This button no longer works.
command-private = This command works only in our private chat.

## The page of admins and viewers

dashboard-menu = Spend
dashboard =
    The dashboard: spend, limits and access.

    The browser link signs you in once, within 5 minutes. Don’t share it: it signs in whoever opens it first.
dashboard-open-telegram = Open in Telegram
dashboard-open-browser = Open in browser
dashboard-browser =
    The dashboard: spend, limits and access.
    { $link }

    The link signs you in once, within 5 minutes. Don’t share it: it signs in whoever opens it first. To open the dashboard inside Telegram, set PUBLIC_URL to an https address.
dashboard-here =
    The dashboard: spend, limits and access, on the machine where I run.
    { $link }

    The link signs you in once, within 5 minutes. To open the dashboard from elsewhere or inside Telegram, set PUBLIC_URL to an https address that leads to me.

## How answers look

format-is = { $format ->
    [plain] Answers here are plain text: tables stand in columns, formulas are written out. Every app shows it.
    [rich] Answers here are rich messages. Some apps show nothing of these; then choose plain text.
   *[auto] Answers here are plain text, and rich messages where they have tables, formulas, checklists, folded parts or headings of several levels. If your app shows nothing of these, choose plain text.
}
format-choice = { $format ->
    [plain] Plain text
    [rich] Rich
   *[auto] Automatic
}

## Steps of /settings

settings-private = What is yours alone is in our private chat: /settings. For everybody here: /system and /format
steps-settings = What would you like to change?
steps-settings-back = « Settings
step-system = Instruction for the model
step-language = Language
step-format = How answers look
step-costnote = Costs shown
step-forget = Delete what you keep about me

## The page of admins

page-section = { $section ->
    [overview] Spend
    [users] Users
    [check] Check
    [limits] Limits
    [access] Access
    [settings] Settings
    [changes] Changes
   *[more] More
}
page-menu = Sections
page-back = Back
page-save = Save
page-saved = Saved
page-change = Change
page-retry = Try again
page-span = Time
page-search = Search
page-search-hint = Name, @username or id
page-users-found = { $count ->
    [one] { $count } user
   *[other] { $count } users
}
page-none-found = Nobody matches “{ $search }”
page-none-found-hint = Try part of a name, an @username or an id.
page-list-cut = The first { $count } are shown. Search for others.
page-erased = Deleted user
page-group = Group { $id }
page-spent = { $span ->
    [today] Spent today
    [week] Spent in 7 days
    [days] Spent in 30 days
    [month] Spent this month
   *[all] Spent in total
}
page-charge-count = { $count ->
    [one] { $count } charge
   *[other] { $count } charges
}
page-charges = { $count ->
    [0] No charges
    [one] { $count } charge of { $average }
   *[other] { $count } charges, { $average } each on average
}
page-history = Re-sent history
page-estimated = Estimates
page-written-off = Written off, not in the sum
page-by-day = By day
page-day-average = { $average } a day on average
page-as-list = As a list
page-sum = Sum
page-chart = Spend by day, { $from } to { $to }. The list below has the figures.
page-nothing = No spend
page-nothing-yet = Answers, videos, images and sounds show here once they are charged.
page-top-users = Top spenders
page-clear-filter = Clear the filter “{ $name }”
page-csv = Download these charges as CSV
page-today = Today
page-in-progress = In progress
page-left = { $of ->
    [limit] Left of the month’s limit
    [nothing] Limit of the month
   *[account] Balance
}
page-unknown = unknown
page-none-set = none set
page-no-spenders = Nobody has spent anything yet
page-access-and-role = Access and role
page-no-orders = No orders yet
page-not-charged = not charged
page-order-state = { $state ->
    [placed] in the queue
    [waiting] waiting for other orders
    [submitted] on its way to the service
    [generating] being made
    [ready] on its way to the user
    [delivered] delivered
    [cancelled] cancelled
   *[failed] failed
}
page-everybody = Everybody together
page-everybody-hint = The limit for all users and groups together, admins included. By default it is BUDGET_RUB, a month.
page-default = { $whose ->
    [groups] Default for groups
   *[users] Default for users
}
page-default-hint = { $whose ->
    [groups] For groups without a limit of their own.
   *[users] For users without a limit of their own. Admins have no default limit.
}
page-own-limits = Own limits
page-no-own-limits = Nobody has a limit of their own
page-no-own-limits-hint = Open a user to set a limit. For a group, send /limit to the bot.
page-period = { $period ->
    [day] A day
    [week] A week
    [month] A month
   *[all] In total
}
page-change-limit = Change the limit: { $period }
page-limit-amount = Amount in roubles
page-limit-amount-hint = Such as 50 or 2.50. Empty: no limit.
page-no-limit = No limit
page-by-default = default
page-use-default = Use the default
page-limit-spent = { $spent } of { $amount } spent
page-limit-spent-free = { $spent } spent
page-limit-reserved = { $amount } in progress
page-limit-resets = resets { $at }
page-access-state = { $state ->
    [insider] Has access
    [blocked] Blocked
    [requested] Asks for access
    [refused] Declined
   *[outsider] No access
}
page-decide = { $decision ->
    [allowed] Allow
    [refused] Decline
   *[blocked] Block
}
page-block-sure = Block { $name }? The bot will stop answering them.
page-role = Role
page-role-name = { $role ->
    [admin] Admin
    [viewer] Viewer
   *[none] No role
}
page-role-hint = { $role ->
    [admin] Can change everything here.
    [viewer] Can see everything here but change nothing.
   *[none] Can’t open this page.
}
page-role-fixed = Set in ADMIN_IDS; it can’t be changed here.
page-no-users = No users yet
page-no-users-hint = Users show here once they write to the bot.
page-settings = { $group ->
    [orders] Orders of videos, images and sounds
   *[alerts] Alerts
}
page-settings-hint = { $group ->
    [orders] The rules hold for every user.
   *[alerts] Admins get these in Telegram.
}
page-setting = { $name ->
    [balance] The balance is below, roubles
    [days] The balance will last less than, days
    [costnote] Answers show costs from, roubles
    [failures] The service fails
    [digest] Daily digest ({ $timeZone })
    [confirm] An order is confirmed from a price of, roubles
    [parallel] Orders of one user at a time
   *[deadline] Time until an order fails, minutes
}
page-setting-hint = { $name ->
    [balance] Such as 500. Empty: off.
    [days] At the pace of the last 7 days. Empty: off.
    [confirm] 0: every order.
    [parallel] From 1 to 100. Others wait.
   *[deadline] At most 1,440, a day.
}
page-on-or-off = { $state ->
    [on] On
   *[off] Off
}
page-no-digest = No digest
page-off = off
page-no-changes = No changes yet
page-no-changes-hint = Changes of limits, access, roles and settings show here.
page-earlier = Earlier changes
page-changed = { $what ->
    [role] Role
    [access] Access
    [limit_day] Daily limit
    [limit_week] Weekly limit
    [limit_month] Monthly limit
    [limit_all] Total limit
    [alert_balance_below_micro_rub] Alert: balance below
    [budget_month_micro_rub] Budget of a month
    [alert_days_left_below] Alert: days left below
    [alert_service_failures] Alert: service failures
    [digest_hour] Daily digest: hour
    [media_confirm_from_micro_rub] Orders: confirm from
    [media_parallel_max] Orders: at once, per user
    [media_deadline_minutes] Orders: deadline, minutes
    [cost_note_from_micro_rub] Cost note from
   *[other] { $name }
}
page-changed-value = { $value ->
    [none] no limit
    [requested] asks for access
    [allowed] has access
    [refused] declined
   *[other] { $value }
}
page-changed-nothing = nothing
page-pace = Spend a day, last 7 days
page-lasts = Lasts for
page-lasts-for-ever = no spend
page-lasts-a-year = more than a year
page-days = { $days ->
    [one] { $days } day
   *[other] { $days } days
}
page-check-again = Check again
page-check-balance = Charges against the balance
page-check-nothing = Nothing to compare yet
page-check-nothing-hint = The service does not report its balance now.
page-moved = The balance went down by
page-charged = Users were charged
page-difference = Difference
page-exact = Everything matches, to a millionth of a rouble.
page-differs = Payments into the account, write-offs, estimates and other users of the key make a difference.
page-unsettled = Some requests are in progress, so part of the difference may still even out.
page-check-sums = Stored sums against the charges
page-sums-right = Every stored sum matches its charges.
page-sums-wrong = { $count ->
    [one] { $count } stored sum doesn’t match its charges.
   *[other] { $count } stored sums don’t match their charges.
}
page-rebuild = To list and to rebuild them:
page-signed-in-as = Signed in as
page-viewer = You can see everything here but change nothing: your role is viewer.
page-time-zone = Days and months by { $timeZone }
page-sign-out = Sign out
page-signed-out = You signed out
page-signing-in = Signing in…
page-sign-in = Sign in
page-sign-in-how = Send /dashboard to the bot and open its link in this browser. In Telegram, close this page and open it again from the chat with the bot.
page-session-over = Your session has ended. After a new sign-in in this browser, this page continues, and what you typed stays.
page-link-over = This link has been used or has expired. Each link signs in once, within 5 minutes.
page-init-data = Telegram’s confirmation of who you are isn’t valid, has expired or has been used.
page-no-role = This page is for admins and viewers. Ask an admin for a role.
page-needs-script = This page needs JavaScript.
page-away = The bot’s server doesn’t answer. Check the network and try again: what you typed stays.
page-busy = Too many tries. Try again in { $seconds ->
    [one] { $seconds } second
   *[other] { $seconds } seconds
}.
page-no-view = There is no such page
page-no-user = There is no such user
page-foreign = The request doesn’t come from this page.
page-invalid = The bot doesn’t accept this value.
page-changed-meanwhile = Someone has changed this meanwhile: it is { $value } now. Nothing was saved. Save again to replace it.
page-amount-malformed = Write an amount such as 50 or 2.50.
page-amount-negative = An amount can’t be below zero.
page-amount-huge = At most 1,000,000,000 roubles.
page-number-malformed = Write a whole number from { $min } to { $max }.
page-file-over = The link to the file has been used or has expired. Download the file again from the page.
