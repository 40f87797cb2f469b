//go:build conformance

package mcpserver

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The protocol's conformance suite calls tools, prompts and resources of fixed names, to
// see how a server sends what they return. Builds with the tag conformance have them
// beside the real ones, on the same transports and behind the same middleware;
// `make conformance` makes such a build, and nobody else should.
func init() {
	fixtures = &fixtureSet{
		options: []server.ServerOption{
			server.WithLogging(), server.WithElicitation(), server.WithToolCapabilities(true),
			server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		},
		add: addFixtures, wrap: sendFaults,
	}
}

type fixtureHandler = func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)

func addFixtures(s *Server) {
	addContentFixtures(s)
	addNotifyingFixtures(s)
	addAskingFixtures(s)
	addPromptFixtures(s)
	addResourceFixtures(s)
}

func (s *Server) fixture(name, description, input string, handler fixtureHandler) {
	s.mcp.AddTool(mcp.NewToolWithRawSchema(name, description, json.RawMessage(input)), handler)
}

const noArguments = `{"type": "object", "properties": {}}`

func said(contents ...mcp.Content) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: contents}
}

func saidf(format string, args ...any) *mcp.CallToolResult {
	return said(mcp.NewTextContent(fmt.Sprintf(format, args...)))
}

func addContentFixtures(s *Server) {
	returns := func(name string, contents ...mcp.Content) {
		s.fixture(name, "Returns fixed content", noArguments, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return said(contents...), nil
		})
	}
	resource := func(uri, mediaType, text string) mcp.Content {
		return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mediaType, Text: text})
	}
	returns("test_simple_text", mcp.NewTextContent("This is a simple text response for testing."))
	returns("test_image_content", mcp.NewImageContent(redPixel(), "image/png"))
	returns("test_audio_content", mcp.NewAudioContent(silence(), "audio/wav"))
	returns("test_embedded_resource", resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	returns("test_multiple_content_types", mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(redPixel(), "image/png"),
		resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	s.fixture("test_error_handling", "Fails", noArguments, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	s.fixture("test_header", "Has an argument that travels in a header, too", `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}`,
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return saidf("%s", r.GetString("region", "")), nil
		})
	s.fixture("json_schema_2020_12_tool", "Has an input schema of JSON Schema 2020-12", `{
 "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
 "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
 "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
  "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}},
 "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
 "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
 "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}`,
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			raw, err := json.Marshal(r.Params.Arguments)
			return saidf("%s", raw), err
		})
}

// redPixel is an image of one pixel, in base64.
func redPixel() string {
	picture := image.NewRGBA(image.Rect(0, 0, 1, 1))
	picture.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err) // a buffer takes all
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// silence is a hundredth of a second of it as a wave file, in base64.
func silence() string {
	const samples = 80 // of 8 bits, at 8 kHz
	var b bytes.Buffer
	for _, part := range []any{[]byte("RIFF"), uint32(36 + samples), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1),
		uint32(8000), uint32(8000), uint16(1), uint16(8), []byte("data"), uint32(samples), bytes.Repeat([]byte{128}, samples)} {
		_ = binary.Write(&b, binary.LittleEndian, part) // a buffer takes all
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// addNotifyingFixtures adds tools that send something while they run. They send it as
// execute_code sends its progress.
func addNotifyingFixtures(s *Server) {
	notify := func(ctx context.Context, message any) error {
		to, ok := ctx.Value(notifierKey{}).(notifier)
		if !ok {
			return errors.New("the client takes no notifications here")
		}
		return to.Notify(message)
	}
	s.fixture("test_tool_with_progress", "Sends progress three times", noArguments, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, progress := range []float64{0, 50, 100} {
			if progress > 0 {
				time.Sleep(50 * time.Millisecond)
			}
			if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
				continue
			}
			total := 100.0
			err := notify(ctx, struct {
				JSONRPC string `json:"jsonrpc"`
				mcp.ProgressNotification
			}{mcp.JSONRPC_VERSION, mcp.NewProgressNotification(r.Params.Meta.ProgressToken, progress, &total, nil)})
			if err != nil {
				return nil, err
			}
		}
		return saidf("sent"), nil
	})
	// A request of 2026-07-28 gets log messages only when it asks for them.
	wanted := func(ctx context.Context) bool {
		info := server.RequestProtocolInfoFromContext(ctx)
		return info == nil || !info.Modern || info.LogLevel != ""
	}
	for _, name := range []string{"test_tool_with_logging", "test_logging_tool"} {
		s.fixture(name, "Sends three log messages", noArguments, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for i, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				if i > 0 {
					time.Sleep(50 * time.Millisecond)
				}
				if !wanted(ctx) {
					continue
				}
				err := notify(ctx, struct {
					JSONRPC string `json:"jsonrpc"`
					mcp.LoggingMessageNotification
				}{mcp.JSONRPC_VERSION, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixtures", text)})
				if err != nil {
					return nil, err
				}
			}
			return saidf("logged"), nil
		})
	}
	s.fixture("test_trigger_tool_change", "Changes the list of tools", noArguments, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.fixture("test_changed", "Comes and goes", noArguments, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return saidf("here"), nil })
		s.mcp.DeleteTools("test_changed")
		return saidf("changed"), nil
	})
	s.fixture("test_trigger_prompt_change", "Changes the list of prompts", noArguments, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.mcp.AddPrompt(mcp.NewPrompt("test_changed"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{}), nil
		})
		s.mcp.DeletePrompts("test_changed")
		return saidf("changed"), nil
	})
}

// form is a question to the user.
func form(message, schema string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

// sample is a question to the client's model.
func sample(text string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: tokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}}
}

const nameForm = `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`

// addAskingFixtures adds tools that ask the client something before they answer.
func addAskingFixtures(s *Server) {
	asks := server.NewInputRequestBuilder
	responses := func(r mcp.CallToolRequest) mcp.InputResponses { return r.Params.InputResponses }
	elicits := func(name, arguments, answer string, question func(mcp.CallToolRequest) mcp.ElicitationParams) {
		s.fixture(name, "Asks the user", arguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got := server.ElicitationResponse(responses(r), "answer")
			if got == nil {
				return asks("").Elicit("answer", question(r)).ToolResult(), nil
			}
			content, err := json.Marshal(got.Content)
			return saidf(answer, got.Action, content), err
		})
	}
	fixed := func(schema string) func(mcp.CallToolRequest) mcp.ElicitationParams {
		return func(mcp.CallToolRequest) mcp.ElicitationParams { return form("Please fill this in", schema) }
	}
	elicits("test_elicitation", `{"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}`, "User response: <action: %s, content: %s>",
		func(r mcp.CallToolRequest) mcp.ElicitationParams {
			return form(r.GetString("message", ""), `{"type": "object", "properties": {"username": {"type": "string", "description": "User's response"},
 "email": {"type": "string", "description": "User's email address"}}, "required": ["username", "email"]}`)
		})
	completed := "Elicitation completed: action=%s, content=%s"
	elicits("test_elicitation_sep1034_defaults", noArguments, completed, fixed(`{"type": "object", "properties": {
 "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
 "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": true}}, "required": []}`))
	elicits("test_elicitation_sep1330_enums", noArguments, completed, fixed(`{"type": "object", "properties": {
 "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
 "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
 "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
 "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
 "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}, "required": []}`))
	s.fixture("test_sampling", "Asks the client's model", `{"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}`,
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got := server.SamplingResponse(responses(r), "answer")
			if got == nil {
				return asks("").Sample("answer", sample(r.GetString("prompt", ""), 100)).ToolResult(), nil
			}
			return saidf("LLM response: %s", textOf(got)), nil
		})

	const prefix = "test_input_required_result_"
	s.fixture(prefix+"elicitation", "Asks for a name", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name, ok := answered(responses(r), "user_name", "name")
		if !ok {
			return asks("").Elicit("user_name", form("What is your name?", nameForm)).ToolResult(), nil
		}
		return saidf("Hello, %s!", name), nil
	})
	s.fixture(prefix+"sampling", "Asks the client's model", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got := server.SamplingResponse(responses(r), "capital_question")
		if got == nil {
			return asks("").Sample("capital_question", sample("What is the capital of France?", 100)).ToolResult(), nil
		}
		return saidf("%s", textOf(got)), nil
	})
	s.fixture(prefix+"list_roots", "Asks for roots", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got := server.RootsResponse(responses(r), "client_roots")
		if got == nil {
			return asks("").Roots("client_roots").ToolResult(), nil
		}
		var b strings.Builder
		for _, root := range got.Roots {
			fmt.Fprintf(&b, "%s (%s)\n", root.URI, root.Name)
		}
		return saidf("%d roots:\n%s", len(got.Roots), b.String()), nil
	})
	confirm := form("Please confirm", `{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}`)
	for _, name := range []string{"request_state", "tampered_state"} {
		s.fixture(prefix+name, "Asks for a confirmation, with a state", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if server.ElicitationResponse(responses(r), "confirm") == nil {
				return asks(sealed(name)).Elicit("confirm", confirm).ToolResult(), nil
			}
			if r.Params.RequestState != sealed(name) {
				return nil, errors.New("requestState is not what this server gave out")
			}
			return saidf("state-ok"), nil
		})
	}
	s.fixture(prefix+"multiple_inputs", "Asks three things at once", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name, ok := answered(responses(r), "user_name", "name")
		greeting, roots := server.SamplingResponse(responses(r), "greeting"), server.RootsResponse(responses(r), "client_roots")
		if !ok || greeting == nil || roots == nil || r.Params.RequestState != sealed("three") {
			return asks(sealed("three")).Elicit("user_name", form("What is your name?", nameForm)).
				Sample("greeting", sample("Generate a greeting", 50)).Roots("client_roots").ToolResult(), nil
		}
		return saidf("%s, %s; %d roots", textOf(greeting), name, len(roots.Roots)), nil
	})
	s.fixture(prefix+"multi_round", "Asks twice", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch state := r.Params.RequestState; {
		case strings.HasPrefix(state, sealed("second")+" "):
			if color, ok := answered(responses(r), "step2", "color"); ok {
				return saidf("%s likes %s", strings.TrimPrefix(state, sealed("second")+" "), color), nil
			}
		case state == sealed("first"):
			if name, ok := answered(responses(r), "step1", "name"); ok {
				return asks(sealed("second")+" "+name).Elicit("step2", form("Step 2: What is your favorite color?",
					`{"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}`)).ToolResult(), nil
			}
		}
		return asks(sealed("first")).Elicit("step1", form("Step 1: What is your name?", nameForm)).ToolResult(), nil
	})
	s.fixture(prefix+"capabilities", "Asks what the client can answer", noArguments, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(responses(r)) > 0 {
			return saidf("done"), nil
		}
		ask, can := asks(""), capabilities(ctx)
		if can.Sampling != nil {
			ask.Sample("answer", sample("Say something", 50))
		}
		if can.Elicitation != nil {
			ask.Elicit("user_name", form("What is your name?", nameForm))
		}
		if can.Roots != nil {
			ask.Roots("client_roots")
		}
		return ask.ToolResult(), nil
	})
	s.fixture("test_streaming_elicitation", "Asks for a name", noArguments, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if name, ok := answered(responses(r), "user_name", "name"); ok {
			return saidf("Hello, %s!", name), nil
		}
		return asks("").Elicit("user_name", form("What is your name?", nameForm)).ToolResult(), nil
	})
	s.fixture("test_missing_capability", "Needs a client with sampling", noArguments, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if capabilities(ctx).Sampling != nil {
			return saidf("the client can sample"), nil
		}
		err := mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		if fault, ok := ctx.Value(faultKey{}).(*fault); ok {
			fault.details = mcp.JSONRPCErrorDetails{Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: err.Error(),
				Data: map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}}}
		}
		return nil, err
	})
}

// answered is a field of a form that the user accepted.
func answered(r mcp.InputResponses, id, field string) (string, bool) {
	got := server.ElicitationResponse(r, id)
	if got == nil || got.Action != mcp.ElicitationResponseActionAccept {
		return "", false
	}
	content, _ := got.Content.(map[string]any)
	text, ok := content[field].(string)
	return text, ok
}

func textOf(m *mcp.CreateMessageResult) string {
	raw, _ := json.Marshal(m.Content)
	var content struct{ Text string }
	_ = json.Unmarshal(raw, &content)
	return content.Text
}

func capabilities(ctx context.Context) mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
		return *info.ClientCapabilities
	}
	return mcp.ClientCapabilities{}
}

var stateKey = func() []byte { key := make([]byte, 32); rand.Read(key); return key }()

// sealed is a state that only this process can have given out.
func sealed(what string) string {
	h := hmac.New(sha256.New, stateKey)
	h.Write([]byte(what))
	return hex.EncodeToString(h.Sum(nil))
}

func addPromptFixtures(s *Server) {
	says := func(contents ...mcp.Content) *mcp.GetPromptResult {
		var messages []mcp.PromptMessage
		for _, c := range contents {
			messages = append(messages, mcp.NewPromptMessage(mcp.RoleUser, c))
		}
		return mcp.NewGetPromptResult("", messages)
	}
	s.mcp.AddPrompt(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("Without arguments")), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return says(mcp.NewTextContent("This is a simple prompt for testing.")), nil
	})
	s.mcp.AddPrompt(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("With two arguments"), mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"]))), nil
		})
	s.mcp.AddPrompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("With a resource"), mcp.WithArgument("resourceUri", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: r.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
				mcp.NewTextContent("Please process the embedded resource above.")), nil
		})
	s.mcp.AddPrompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("With an image")), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return says(mcp.NewImageContent(redPixel(), "image/png"), mcp.NewTextContent("Please analyze the image above.")), nil
	})
	s.mcp.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("Asks for its context")), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if text, ok := answered(r.Params.InputResponses, "user_context", "context"); ok {
			return says(mcp.NewTextContent("In the context of " + text)), nil
		}
		return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?",
			`{"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}`)).PromptResult(), nil
	})
}

func addResourceFixtures(s *Server) {
	text := func(uri, mediaType, content string) []mcp.ResourceContents {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mediaType, Text: content}}
	}
	for _, uri := range []string{"test://static-text", "test://watched-resource", "test://example-resource"} {
		s.mcp.AddResource(mcp.NewResource(uri, uri, mcp.WithMIMEType("text/plain")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return text(uri, "text/plain", "This is the content of the static text resource."), nil
		})
	}
	s.mcp.AddResource(mcp.NewResource("test://static-binary", "binary", mcp.WithMIMEType("image/png")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: redPixel()}}, nil
	})
	s.mcp.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
		content, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return text(r.Params.URI, "application/json", string(content)), err
	})
}

// A fault is an error that a handler wants its client to get as it is. The library makes
// an internal error without data of all errors of handlers; sendFaults writes this one in
// its place.
type fault struct{ details mcp.JSONRPCErrorDetails }

type faultKey struct{}

func sendFaults(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := &fault{}
		next.ServeHTTP(&faultWriter{ResponseWriter: w, fault: f}, r.WithContext(context.WithValue(r.Context(), faultKey{}, f)))
	})
}

type faultWriter struct {
	http.ResponseWriter
	fault *fault
}

func (w *faultWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *faultWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

func (w *faultWriter) WriteHeader(status int) {
	if w.fault.details.Code != 0 {
		status = http.StatusBadRequest
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *faultWriter) Write(p []byte) (int, error) {
	if w.fault.details.Code == 0 {
		return w.ResponseWriter.Write(p)
	}
	var answer mcp.JSONRPCError
	if err := json.Unmarshal(p, &answer); err != nil {
		return 0, err
	}
	answer.Error = w.fault.details
	raw, err := json.Marshal(answer)
	if err == nil {
		_, err = w.ResponseWriter.Write(raw)
	}
	return len(p), err
}
