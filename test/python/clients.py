"""The PyPI clients against a server whose address and key come as JSON on standard input; its CA in SSL_CERT_FILE.

Prints one JSON object a line: {"name": …, "error": null or what went wrong}.
"""

import asyncio
import json
import sys
import traceback

import openai
from langchain_openai import ChatOpenAI

given = json.load(sys.stdin)
BASE, KEY = given["baseUrl"] + "/v1", given["key"]
SEA = [{"role": "user", "content": "What is the sea?"}]


def client(key=KEY, retries=0, Class=openai.OpenAI):
    return Class(base_url=BASE, api_key=key, max_retries=retries)


def ask(content, key=KEY, retries=0, **fields):
    messages = [{"role": "user", "content": content}]
    return client(key, retries).chat.completions.create(model="Model", messages=messages, max_tokens=12, **fields)


def langchain(key=KEY, **fields):
    fields = {"model": "Model", "max_tokens": 12, "max_retries": 0, **fields}
    return ChatOpenAI(base_url=BASE, api_key=key, **fields)


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        assert error.status_code == status, f"{error.status_code}, not {status}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def plain():
    reply = ask("What is the sea?")
    assert reply.id.startswith("chatcmpl-") and reply.choices[0].message.content
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert reply._request_id.startswith("req_")


def streamed():
    for model in ("Model", "Model-MoE"):
        stream = client().chat.completions.create(model=model, messages=SEA, max_tokens=12, stream=True)
        assert "".join(chunk.choices[0].delta.content for chunk in stream)


def helper():
    options = {"include_usage": True}
    with client().chat.completions.stream(model="Model", messages=SEA, max_tokens=12, stream_options=options) as stream:
        text = "".join(event.delta for event in stream if event.type == "content.delta")
        try:
            completion = stream.get_final_completion()
        except openai.LengthFinishReasonError as error:  # how this client tells finish_reason length
            completion = error.completion
    assert completion.choices[0].message.content == text and completion.usage.completion_tokens > 0


def same_seed():
    first, second = (ask("What is the sea?", seed=7).choices[0].message.content for _ in range(2))
    assert first == second


def leaves():
    with ask("Count to a hundred.", stream=True) as stream:
        next(iter(stream))
    assert ask("Hello").choices[0].message.content


def asynchronous():
    async def many():
        async with client(Class=openai.AsyncOpenAI) as several:
            calls = (several.chat.completions.create(model="Model", messages=SEA, max_tokens=8) for _ in range(8))
            return await asyncio.gather(*calls)

    assert all(reply.choices[0].message.content for reply in asyncio.run(many()))


def models():
    assert {"Model", "Model-MoE"} <= {model.id for model in client().models.list()}
    assert client().models.retrieve("Model").id == "Model"


def refused():
    error = raises(openai.BadRequestError, 400, lambda: ask("a", temperature=1.5))
    assert error.param == "temperature" and "0.1 to 1" in error.message, error.message
    raises(openai.BadRequestError, 400, lambda: ask("a\0b"))
    raises(openai.AuthenticationError, 401, lambda: ask("a", key="um_live_wrong"))
    raises(openai.NotFoundError, 404, lambda: client().models.retrieve("nothing"))
    error = raises(openai.NotFoundError, 404, lambda: client().responses.create(model="Model", input="a"))
    assert "/v1/chat/completions" in error.message


def chain():
    assert langchain().invoke("What is the sea?").text
    assert "".join(chunk.text for chunk in langchain().stream("What is the sea?"))
    reply = langchain(stream_usage=True).invoke([("system", "Be short."), ("human", "What is the sea?")])
    assert reply.usage_metadata["total_tokens"] > 0
    raises(openai.BadRequestError, 400, lambda: langchain(temperature=1.5).invoke("a"))
    raises(openai.AuthenticationError, 401, lambda: langchain(key="um_live_wrong").invoke("a"))


# Only a scripted engine can be told to fail.
def statuses():
    raises(openai.RateLimitError, 429, lambda: ask("fail overloaded 1"))
    raises(openai.InternalServerError, 500, lambda: ask("fail engine_failed"))
    raises(openai.InternalServerError, 504, lambda: ask("fail timed_out"))
    raises(openai.PermissionDeniedError, 403, lambda: ask("a", key=given["searchKey"]))


def retries():
    raises(openai.RateLimitError, 429, lambda: ask("fail overloaded 0.01", retries=1))
    error = raises(openai.RateLimitError, 429, lambda: ask("a", key=given["spentKey"], retries=2))
    assert error.response.headers["x-should-retry"] == "false"


def broken_stream():
    text = ""
    try:
        for chunk in ask("fail-later engine_failed", stream=True):
            text += chunk.choices[0].delta.content
    except openai.APIError as error:
        assert "engine could not finish" in error.message and text.startswith("Hello")
        return
    raise AssertionError("the stream ended as if it were whole")


ANY = [plain, streamed, helper, same_seed, leaves, asynchronous, models, refused, chain]
SCRIPTED = [statuses, retries, broken_stream]

for scenario in ANY + (SCRIPTED if given.get("scripted") else []):
    try:
        scenario()
        error = None
    except Exception:
        error = traceback.format_exc()
    print(json.dumps({"name": scenario.__name__, "error": error}), flush=True)
